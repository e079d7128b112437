"""Somebody else with a Spark session on the same catalog."""

import itertools
import threading
from collections.abc import Mapping
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from contract.contents import NAMED, Content, ordered
from contract.other_run import OtherRun
from contract.places import UnreadableError
from ctas_spark import quoting
from ctas_spark.catalogs.session import CatalogsWithJvm
from ctas_spark.context import StagingContext
from ctas_spark.engines import jvm
from ctas_spark.engines.session import SessionJob
from ctas_spark.publish.staged_table import StagedTable

UNREADABLE = (PySparkException, Py4JError)
_jobs = itertools.count(1)


def open_run(spark: SparkSession, *, repeatable_reads: bool) -> CatalogsWithJvm:
    """An invocation of the product; ``repeatable_reads`` is what it declares of the metastore."""
    return CatalogsWithJvm(spark, repeatable_reads=repeatable_reads)


def job(spark: SparkSession) -> SessionJob:
    """A job with a group of its own."""
    attached = SessionJob(spark, f"contract {next(_jobs)}", threading.Event())
    attached.attach()
    return attached


def read(frame: DataFrame) -> dict[str, Any]:
    """Columns and rows of one look at a table."""
    try:
        columns = tuple((field.name, field.dataType.simpleString()) for field in frame.schema)
        return {"columns": columns, "rows": ordered(frame.collect())}
    except UNREADABLE as error:
        raise UnreadableError(f"{type(error).__name__}: {error}"[:500]) from error


class SparkOthers(OtherRun):
    """Another invocation, and users without any, in one session."""

    def __init__(
        self, spark: SparkSession, staging_schema: str, *, repeatable_reads: bool = True
    ) -> None:
        super().__init__(staging_schema)
        jvm.activate(spark)
        self._spark = spark
        self._run = open_run(spark, repeatable_reads=repeatable_reads)
        self._held: dict[str, DataFrame] = {}

    def close(self) -> None:
        """The invocation ends."""
        self._run.close()

    def begin(self, context: StagingContext) -> StagedTable[Any]:
        return self._run.catalog_for(context).plan(context, job(self._spark)).begin()

    def stage(self, staged: StagedTable[Any], content: Content) -> None:
        self._spark.sql(staged.statement(content.query))

    def fill(self, staged: StagedTable[Any], content: Content) -> None:
        self._spark.sql(staged.fill_statement(content.query) or "")

    def plain(self, table: str, layout: str, number: int) -> None:
        content = Content(number, NAMED[layout])
        keys = content.layout.partition_by
        partitioned = f"PARTITIONED BY ({quoting.identifiers(keys)})" if keys else ""
        self._spark.sql(
            f"CREATE TABLE {table} USING {content.file_format} {partitioned} "
            f"TBLPROPERTIES {quoting.properties(content.properties)} AS {content.query}"
        )

    def view(self, table: str) -> None:
        self._spark.sql(f"CREATE VIEW {table} AS SELECT 1 AS id")

    def drop(self, table: str) -> None:
        self._spark.sql(f"DROP TABLE {table}")

    def set_property(self, table: str, key: str, value: str) -> None:
        values: Mapping[str, str] = {key: value}
        self._spark.sql(f"ALTER TABLE {table} SET TBLPROPERTIES {quoting.properties(values)}")

    def insert(self, table: str, layout: str, number: int) -> None:
        content = Content(number, NAMED[layout])
        self._spark.newSession().sql(f"INSERT INTO {table} {content.query}")

    def show_partitions(self, table: str) -> list[str]:
        try:
            shown = self._spark.newSession().sql(f"SHOW PARTITIONS {table}").collect()
        except UNREADABLE as error:
            raise UnreadableError(f"{type(error).__name__}: {error}"[:500]) from error
        return [row[0] for row in shown]

    def repair(self, table: str) -> None:
        self._spark.newSession().sql(f"MSCK REPAIR TABLE {table}")

    def read(self, table: str) -> dict[str, Any]:
        return read(self._look_up(table))

    def hold(self, table: str) -> None:
        self._held[table] = self._look_up(table)

    def read_held(self, table: str) -> dict[str, Any]:
        return read(self._held.pop(table))

    def _look_up(self, table: str) -> DataFrame:
        """A session that never saw the table."""
        try:
            return self._spark.newSession().table(table)
        except UNREADABLE as error:
            raise UnreadableError(f"{type(error).__name__}: {error}"[:500]) from error
