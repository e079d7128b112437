"""A process whose Spark isolates its Hive classes: publishes a table twice, says what it saw.

Takes Spark's settings as JSON, and the path of the file that gets the answer, as JSON too.
"""

import json
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

import pyspark
from pyspark.sql import SparkSession

from ctas_spark.catalogs.session import CatalogsWithJvm
from ctas_spark.context import StagingContext, TableName
from ctas_spark.engines.session import SessionJob
from readers.session import small_session

TARGET = TableName("isolated", "orders")
STAGING_SCHEMA = "isolated__ctas_spark"
QUERIES = ("select 1 as id", "select 'two' as id, 2 as n")


def isolated(directory: Path) -> dict[str, str]:
    """Settings under which Spark loads its Hive classes a second time, from the same jars.

    They are linked into ``directory``: Spark can't read jars below a path with a space. Hadoop's
    own local files find them behind that link, and those without a process of chmod do not.
    """
    jars = directory / "jars"
    jars.symlink_to(Path(pyspark.__file__).parent / "jars")
    return {
        "spark.hadoop.fs.file.impl": "org.apache.hadoop.fs.LocalFileSystem",
        "spark.sql.hive.metastore.jars": "path",
        "spark.sql.hive.metastore.jars.path": f"{jars.as_uri()}/*.jar",
    }


def publish(spark: SparkSession, opened: CatalogsWithJvm, query: str) -> list[list[object]]:
    """The table's rows once the query's are published."""
    job = SessionJob(spark, query, threading.Event())
    staged = opened.catalog.plan(StagingContext(TARGET, STAGING_SCHEMA), job).begin()
    spark.sql(staged.statement(query))
    staged.verify()
    staged.commit()
    staged.settle()
    return [list(row) for row in spark.table(str(TARGET)).collect()]


def main(conf: Mapping[str, str], answer: Path) -> None:
    """Publish every query and write down what was seen."""
    spark = small_session({**conf, **isolated(answer.parent)})
    spark.sql(f"create database {TARGET.database}")
    opened = CatalogsWithJvm(spark)
    found = opened.catalog.capabilities(STAGING_SCHEMA)
    rows = [publish(spark, opened, query) for query in QUERIES]
    report = opened.report(StagingContext(TARGET, STAGING_SCHEMA))
    said = next(line for line in report if line.startswith("catalog: "))
    seen = {"description": said, "check": found.conflict_check.value, "rows": rows}
    opened.close()
    spark.stop()
    answer.write_text(json.dumps(seen))


if __name__ == "__main__":
    main(json.loads(sys.argv[1]), Path(sys.argv[2]))
