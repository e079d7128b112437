r"""A process that stages versions of one table, and commits each at the moment that it is told.

    PYTHONPATH=tests python tests/readers/rival.py \
        --conf '{"spark.sql...": "..."}' --table db.t --out FILE

Its stdin has lines like ``["stage", 7]``: a version with the rows of number 7, on what the table
is now; ``["commit", 12.5]``, at 12.5 s of CLOCK_MONOTONIC; ``["read", null]``. Each line of FILE
after the first is an answer.
"""

import argparse
import json
import sys
import threading
import time
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging import quoting
from dbt.adapters.ctas_spark.staging.catalogs.opened import open_catalog
from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingContext, TableName
from dbt.adapters.ctas_spark.staging.engines.session import SessionJob
from dbt.adapters.ctas_spark.staging.errors import StagingError
from dbt.adapters.ctas_spark.staging.staged_file_table import StagedFileTable
from readers.content import inspect, select_sql
from readers.journal import append
from readers.session import small_session


class Rival:
    """One invocation that stages a version of the table, commits it or not, and so on."""

    def __init__(self, spark: SparkSession, target: TableName) -> None:
        self._spark = spark
        self._target = target
        self._opened = open_catalog(spark, lambda error: print(error, flush=True))  # noqa: T201 (a test's log)
        self._staged: StagedFileTable | None = None

    def stage(self, number: int) -> dict[str, Any]:
        """Begin, stage by a CTAS, and verify."""
        staging_schema = f"{self._target.database}__ctas_spark"
        context = StagingContext(self._target, staging_schema, atomicity=Atomicity.ISOLATED)
        job = self._job(f"race {number}")
        staged = self._staged = self._opened.catalog.apply_staging(context, job)
        staged.begin()
        self._spark.sql(staged.statement(select_sql(number)))
        staged.verify()
        return {"number": number, "version": staged.version, "base": staged.base.version}

    def commit(self, moment: float) -> dict[str, Any]:
        """Commit what is staged, at that moment; give up what is refused."""
        staged = self._staged
        if staged is None:
            raise ValueError("nothing is staged")
        time.sleep(max(0.0, moment - time.monotonic()))
        started = time.monotonic()
        try:
            staged.commit()
        except StagingError as error:
            times = {"started": started, "ended": time.monotonic()}
            staged.abort("conflict")
            return {**times, "refusal": type(error).__name__, "message": str(error)}
        times = {"started": started, "ended": time.monotonic()}
        staged.settle()
        return {**times, "refusal": None, "message": ""}

    def read(self, _: None) -> dict[str, Any]:
        """Look the table up in a session that never saw it."""
        self._job("read")
        frame = self._spark.newSession().table(quoting.table(self._target))
        schema = [(field.name, field.dataType.simpleString()) for field in frame.schema]
        return {"number": inspect(schema, frame.collect())}

    def close(self) -> None:
        """The invocation ends."""
        self._opened.close()

    def _job(self, group: str) -> SessionJob:
        """A job of its own: an abort ends what runs in its group, then and later."""
        job = SessionJob(self._spark, group, threading.Event())
        job.attach()
        return job


def main() -> None:
    """Answer until stdin closes."""
    options = _options()
    spark = small_session(json.loads(options.conf))
    target = TableName(*options.table.split("."))
    spark.sql(f"CREATE SCHEMA IF NOT EXISTS {quoting.identifier(target.database)}")
    rival = Rival(spark, target)
    with options.out.open("a") as journal:
        append(journal, {"ready": time.monotonic()})
        for line in sys.stdin:
            command, argument = json.loads(line)
            append(journal, getattr(rival, command)(argument))
    rival.close()
    spark.stop()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--conf", required=True)
    parser.add_argument("--table", required=True)
    parser.add_argument("--out", type=Path, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    main()
