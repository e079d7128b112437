r"""A process that writes versions of one table, and commits each at the moment that it is told.

    PYTHONPATH=tests/support python tests/support/readers/rival.py \
        --conf '{"spark.sql...": "..."}' \
        --catalog spark_catalog --format parquet --writers dbt-ctas-spark --out FILE

Its stdin has lines like ``["stage", 7]``: a version with the rows of number 7, on what the table
is now; ``["commit", 12.5]``, at 12.5 s of CLOCK_MONOTONIC; ``["read", null]``. Each line of FILE
after the first is an answer.
"""

import argparse
import json
import sys
import threading
import time
from collections.abc import Callable, Mapping
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from pyspark.sql import SparkSession

from ctas_spark import StagedDataFrame, quoting, save_as
from ctas_spark.catalogs.kinds import Catalogs
from ctas_spark.catalogs.server import CatalogsWithoutJvm
from ctas_spark.catalogs.server_metastore import MetastoreAddress
from ctas_spark.catalogs.session import CatalogsWithJvm
from ctas_spark.context import (
    Atomicity,
    StagingContext,
    TableLayout,
    TableName,
)
from ctas_spark.engines.connect import ConnectJob
from ctas_spark.engines.protocol import StoppableJob
from ctas_spark.engines.session import SessionJob
from ctas_spark.engines.thrift.session import ThriftJob
from ctas_spark.errors import StagingError
from ctas_spark.publish.staged_table import StagedTable
from readers.content import inspect, select_sql
from readers.journal import append
from readers.session import small_session
from servers.remote import CLIENTS

SCHEMA, TABLE = "race", "target"


class Writers(str, Enum):
    """What commits: this package's core or its ``save_as``, or the format's own statement."""

    STAGING = "dbt-ctas-spark"
    PLAIN = "CREATE OR REPLACE TABLE AS"
    SAVE_AS = "save_as"


class Rival(Protocol):
    """One that stages a version of the table, commits it or not, and so on."""

    def stage(self, number: int) -> dict[str, Any]:
        """Prepare a version; what it is, and on which one."""

    def commit(self, moment: float) -> dict[str, Any]:
        """Commit what is staged, at that moment; when, and by which error it was refused."""

    def close(self) -> None:
        """There is no more to do."""


class StagingRival:
    """One invocation of this package."""

    kind: type[StoppableJob] = SessionJob

    def __init__(self, spark: Any, target: TableName, file_format: str) -> None:
        self._spark = spark
        self._target = target
        self._layout = TableLayout(file_format)
        self._opened = self._catalogs()
        self._staged: StagedTable[Any] | None = None

    def stage(self, number: int) -> dict[str, Any]:
        """Begin, stage by a CTAS, and verify."""
        staging_schema = f"{self._target.database}__ctas_spark"
        context = StagingContext(
            self._target, staging_schema, atomicity=Atomicity.ISOLATED, layout=self._layout
        )
        job = self._job(f"race {number}")
        staged = self._staged = self._opened.catalog_for(context).plan(context, job).begin()
        self._spark.sql(staged.statement(select_sql(number, same=True)))
        staged.verify()
        return {"number": number, "version": staged.version, "base": staged.base.version}

    def commit(self, moment: float) -> dict[str, Any]:
        """Publish; give up what is refused."""
        staged = self._staged
        if staged is None:
            raise ValueError("nothing is staged")
        answer = _at(moment, staged.commit, StagingError)
        if answer["refusal"]:
            staged.abort("conflict")
            self._job("after it")
        else:
            staged.settle()
        return answer

    def close(self) -> None:
        """The invocation ends."""
        self._opened.close()

    def _catalogs(self) -> Catalogs:
        return CatalogsWithJvm(self._spark)

    def _job(self, group: str) -> StoppableJob:
        """A job of its own: an abort ends what runs in its group, then and later."""
        job = self.kind(self._spark, group, threading.Event())
        job.attach()
        return job


class RemoteRival(StagingRival):
    """The same without a JVM, by a profile that names the server and its metastore."""

    def __init__(
        self, spark: Any, target: TableName, file_format: str, profile: Mapping[str, Any]
    ) -> None:
        self.kind = ThriftJob if profile["method"] == "thrift" else ConnectJob
        self._profile = profile
        super().__init__(spark, target, file_format)

    def _catalogs(self) -> Catalogs:
        address = MetastoreAddress(self._profile["metastore"], "rival")
        return CatalogsWithoutJvm(self._spark, self._profile["method"], metastore=address)


class SaveAsRival:
    """PySpark code that publishes a DataFrame."""

    def __init__(self, spark: SparkSession, target: TableName, file_format: str) -> None:
        self._spark = spark
        self._target = quoting.table(target)
        self._format = file_format
        self._staged: StagedDataFrame | None = None

    def stage(self, number: int) -> dict[str, Any]:
        """Enter the block."""
        frame = self._spark.sql(select_sql(number, same=True))
        writer = save_as(frame, self._target).using(self._format).atomicity("isolated")
        staged = self._staged = writer.staged()
        attempt = staged.__enter__()._saving.staged  # noqa: SLF001 (what it began from)
        return {"number": number, "version": attempt.version, "base": attempt.base.version}

    def commit(self, moment: float) -> dict[str, Any]:
        """Leave it."""
        if self._staged is None:
            raise ValueError("nothing is staged")
        return _at(moment, partial(self._staged.__exit__, None, None, None), StagingError)

    def close(self) -> None:
        """Nothing is open."""


class PlainRival:
    """Somebody with Spark's SQL alone: what is staged is a statement."""

    def __init__(self, spark: SparkSession, target: TableName, file_format: str) -> None:
        self._spark = spark
        self._target = target
        self._create = f"CREATE OR REPLACE TABLE {quoting.table(target)} USING {file_format} AS "
        self._statement = ""

    def stage(self, number: int) -> dict[str, Any]:
        """Look at the table; there is nothing to do beforehand."""
        self._statement = self._create + select_sql(number, same=True)
        there = self._spark.catalog.tableExists(quoting.table(self._target))
        base = str(shown(self._spark.newSession(), self._target)) if there else None
        return {"number": number, "version": str(number), "base": base}

    def commit(self, moment: float) -> dict[str, Any]:
        """Run the statement."""
        return _at(moment, lambda: self._spark.sql(self._statement), Exception)

    def close(self) -> None:
        """Nothing is open."""


RIVALS: dict[Writers, Callable[[SparkSession, TableName, str], Rival]] = {
    Writers.STAGING: StagingRival,
    Writers.SAVE_AS: SaveAsRival,
    Writers.PLAIN: PlainRival,
}


def _at(moment: float, commit: Callable[[], object], refusals: type[Exception]) -> dict[str, Any]:
    time.sleep(max(0.0, moment - time.monotonic()))
    started = time.monotonic()
    refusal, message = None, ""
    try:
        commit()
    except refusals as error:
        refusal, message = type(error).__name__, str(error)
    times = {"started": started, "ended": time.monotonic()}
    return {**times, "refusal": refusal, "message": message}


def shown(spark: Any, target: TableName) -> int:
    """The number of the version that a session reads; it never saw the table."""
    frame = spark.sql(f"SELECT * FROM {quoting.table(target)}")
    schema = [(field.name, field.dataType.simpleString()) for field in frame.schema]
    return inspect(schema, frame.collect())


def main() -> None:
    """Answer until stdin closes."""
    options = _options()
    spark = _session(options)
    target = TableName(SCHEMA, TABLE, options.catalog)
    schema = f"{quoting.identifier(options.catalog)}.{quoting.identifier(SCHEMA)}"
    spark.sql(f"CREATE SCHEMA IF NOT EXISTS {schema}")
    made = partial(RemoteRival, profile=options.over) if options.over else None
    rival = (made or RIVALS[options.writers])(spark, target, options.format)
    answers: dict[str, Callable[[Any], dict[str, Any]]] = {
        "stage": rival.stage,
        "commit": rival.commit,
        "read": lambda _: {"number": shown(_new_session(spark, options), target)},
    }
    with options.out.open("a") as journal:
        append(journal, {"ready": time.monotonic()})
        for line in sys.stdin:
            command, argument = json.loads(line)
            append(journal, answers[command](argument))
    rival.close()
    spark.stop()


def _session(options: argparse.Namespace) -> Any:
    if not options.over:
        return small_session(json.loads(options.conf))
    return CLIENTS[options.over["method"]](options.over)


def _new_session(spark: Any, options: argparse.Namespace) -> Any:
    return _session(options) if options.over else spark.newSession()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--conf", required=True)
    parser.add_argument("--catalog", required=True)
    parser.add_argument("--format", required=True)
    parser.add_argument("--over", type=json.loads, help="the profile of a server to write by")
    parser.add_argument("--writers", type=Writers, required=True)
    parser.add_argument("--out", type=Path, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
