"""A Spark that does what typical models do, and whose JVM archives what it has learnt when it ends.

    python -m ctas_spark.archiving.training OPTION ARCHIVE

OPTION is the one by which its Java makes an archive. It needs a working directory of its own, for
its metastore and its tables.
"""

import sys
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

ROUNDS = 5
"""Enough for the profiles of what every model calls, which an AOT cache keeps."""
MERGE = """
    CREATE TABLE s.c USING parquet AS SELECT id, k FROM (
        SELECT *, row_number() OVER (PARTITION BY id ORDER BY is_new DESC) AS r
        FROM (SELECT *, 0 AS is_new FROM s.a UNION ALL SELECT *, 1 AS is_new FROM s.b)
    ) WHERE r = 1
"""
STATEMENTS = (
    "CREATE SCHEMA s",
    "CREATE TABLE s.a USING parquet AS SELECT id, id % 3 AS k FROM range(9)",
    "CREATE TABLE s.b USING orc PARTITIONED BY (k) AS SELECT * FROM s.a WHERE k > 0",
    "INSERT INTO s.b SELECT id, k + 3 FROM s.a",
    "ALTER TABLE s.b SET TBLPROPERTIES ('a' = 'b')",
    "SELECT k, count(*) FROM s.b GROUP BY k ORDER BY k",
    "SELECT * FROM s.a JOIN s.b USING (id)",
    "SELECT count(*) FROM (SELECT id FROM s.a GROUP BY id HAVING count(*) > 1)",
    MERGE,
    "CREATE VIEW s.v AS SELECT * FROM s.a",
    "DESCRIBE EXTENDED s.b",
    "SHOW TABLE EXTENDED IN s LIKE '*'",
    "DROP SCHEMA s CASCADE",
)


def train(option: str, archive: Path) -> None:
    """Run the statements in this process's only Spark, and end as its JVM has ended."""
    spark = _session(f'-XX:+UseSerialGC "{option}={archive}"')
    for statement in STATEMENTS * ROUNDS:
        spark.sql(statement).collect()
    gateway: Any = spark.sparkContext._gateway  # noqa: SLF001 (PySpark has no public way to its JVM)
    spark.stop()
    gateway.shutdown()
    gateway.proc.stdin.close()
    sys.exit(gateway.proc.wait())


def _session(options: str) -> SparkSession:
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
    train(sys.argv[1], Path(sys.argv[2]))
