"""Which Delta release a Spark needs, for errors that have to say it."""

TRIED = {"4.1": "io.delta:delta-spark_4.1_2.13:4.4.0"}


def remedy(spark_version: str) -> str:
    """What to put into ``spark_conf``; other minors are told which were tried."""
    minor = ".".join(spark_version.split(".")[:2])
    if minor in TRIED:
        return f"set spark.jars.packages: {TRIED[minor]} in spark_conf"
    known = ", ".join(f"PySpark {tried} with {jar}" for tried, jar in TRIED.items())
    return f"this adapter's Delta support was tried with {known}, and not with Spark {minor}"
