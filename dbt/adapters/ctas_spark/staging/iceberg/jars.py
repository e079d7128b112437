"""Which Iceberg runtime a Spark needs, for errors that have to say it."""

NEWEST = {
    "3.5": "org.apache.iceberg:iceberg-spark-runtime-3.5_2.12:1.11.0",
    "4.0": "org.apache.iceberg:iceberg-spark-runtime-4.0_2.13:1.11.0",
    "4.1": "org.apache.iceberg:iceberg-spark-runtime-4.1_2.13:1.12.0",
}


def remedy(spark_version: str) -> str:
    """What to put into ``spark_conf``; Spark minors without a runtime are told so."""
    minor = ".".join(spark_version.split(".")[:2])
    if minor in NEWEST:
        return f"set spark.jars.packages: {NEWEST[minor]} in spark_conf"
    return (
        f"Iceberg has no runtime for Spark {minor}; use PySpark "
        f"{' or '.join(sorted(NEWEST, reverse=True))}, and that minor's "
        "org.apache.iceberg:iceberg-spark-runtime"
    )
