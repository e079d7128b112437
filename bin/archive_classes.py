"""Make an archive of the classes that Spark loads, which any later JVM of this environment maps.

    .venv/bin/python bin/archive_classes.py

Loading and verifying them is half of what it costs to start Spark with a metastore, and the tests
start it more than a hundred times. The archive lies in the environment whose jars it is made of; a
JVM that it does not fit starts without it, as does each whose jars' path has a space (JDK 17).
"""

import sys
import tempfile
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

ARCHIVE = Path(sys.prefix) / "spark.jsa"
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


def main() -> None:
    """Run a bit of everything; the JVM writes the archive when it ends, if its build can."""
    unfinished = ARCHIVE.with_suffix(".unfinished")
    with tempfile.TemporaryDirectory() as directory:
        spark = _session(directory, f'"-XX:ArchiveClassesAtExit={unfinished}"')
        for statement in STATEMENTS:
            spark.sql(statement).collect()
        gateway: Any = spark.sparkContext._gateway  # noqa: SLF001 (PySpark has no public way to its JVM)
        spark.stop()
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait()
    if unfinished.exists():
        unfinished.rename(ARCHIVE)
    else:
        sys.stdout.write("This Java has made no archive; Spark starts without one.\n")


def _session(directory: str, archive: str) -> SparkSession:
    options = f"-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -Xlog:disable {archive}"
    metastore = f"jdbc:derby:;databaseName={directory}/metastore;create=true"
    return (
        SparkSession.builder.master("local[1]")
        .config("spark.driver.extraJavaOptions", f"{options} -Dderby.system.home={directory}")
        .config("spark.sql.warehouse.dir", f"{directory}/warehouse")
        .config("spark.hadoop.javax.jdo.option.ConnectionURL", metastore)
        .enableHiveSupport()
        .getOrCreate()
    )


if __name__ == "__main__":
    main()
