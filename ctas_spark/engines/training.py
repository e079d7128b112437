"""A Spark that does a bit of everything, and whose JVM archives its classes when it ends.

    python -m ctas_spark.engines.training ARCHIVE

It needs a working directory of its own, for its metastore and its tables.
"""

import sys
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

STATEMENTS = (
    "CREATE SCHEMA s",
    "CREATE TABLE s.a USING parquet AS SELECT id, id % 3 AS k FROM range(9)",
    "CREATE TABLE s.b USING orc PARTITIONED BY (k) AS SELECT * FROM s.a WHERE k > 0",
    "INSERT INTO s.b SELECT id, k + 3 FROM s.a",
    "ALTER TABLE s.b SET TBLPROPERTIES ('a' = 'b')",
    "SELECT k, count(*) FROM s.b GROUP BY k ORDER BY k",
    "SELECT * FROM s.a JOIN s.b USING (id)",
    "CREATE VIEW s.v AS SELECT * FROM s.a",
    "DESCRIBE EXTENDED s.b",
    "SHOW TABLE EXTENDED IN s LIKE '*'",
    "DROP VIEW s.v",
    "DROP TABLE s.b",
)


def train(archive: Path) -> None:
    """Run the statements in this process's only Spark, and end as its JVM has ended."""
    spark = _session(archive)
    for statement in STATEMENTS:
        spark.sql(statement).collect()
    gateway: Any = spark.sparkContext._gateway  # noqa: SLF001 (PySpark has no public way to its JVM)
    spark.stop()
    gateway.shutdown()
    gateway.proc.stdin.close()
    sys.exit(gateway.proc.wait())


def _session(archive: Path) -> SparkSession:
    options = f'-XX:+UseSerialGC -XX:TieredStopAtLevel=1 "-XX:ArchiveClassesAtExit={archive}"'
    here = Path.cwd()
    return (
        SparkSession.builder.master("local[1]")
        .config("spark.driver.extraJavaOptions", f"{options} -Dderby.system.home={here}")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.warehouse.dir", f"{here}/tables")
        .enableHiveSupport()
        .getOrCreate()
    )


if __name__ == "__main__":
    train(Path(sys.argv[1]))
