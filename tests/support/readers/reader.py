r"""A process that reads tables in a loop until its stdin closes.

    PYTHONPATH=tests/support python tests/support/readers/reader.py \
        --conf '{"spark.sql...": "..."}' --table db.t --mode fresh --out FILE

The first line of FILE says that the session is ready, each further one is a read. With more than
one ``--mode``, sessions of this process, one for each, read in turn; so do more than one
``--table``. A table holds versions, or what a node of ``every_node`` does: ``db.t=added``.
"""

import argparse
import itertools
import json
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from functools import partial
from pathlib import Path
from threading import Event, Thread
from typing import Any

from pyspark.sql import SparkSession

from every_node import content as every_node
from readers.content import Column, WrongContentError, inspect
from readers.journal import Fault, append
from readers.session import small_session

# What Spark and Delta say instead of reading one version's files by another's columns.
OVERTAKEN = ("INCOMPATIBLE_TABLE_CHANGE_AFTER_ANALYSIS", "DELTA_SCHEMA_CHANGE_SINCE_ANALYSIS")


Inspect = Callable[[Sequence[Column], Sequence[Sequence[Any]]], int]
INSPECTED: Mapping[str, Inspect] = {
    "": inspect,
    **{shape.value: partial(every_node.inspect, shape) for shape in every_node.Shape},
}


class Mode(str, Enum):
    """Whether a reader looks the table up for each read or only for its first."""

    FRESH = "fresh"
    STALE = "stale"


def main() -> None:
    """Read until told to stop."""
    options = _options()
    spark = small_session(json.loads(options.conf))
    spark.sql("SHOW DATABASES").collect()
    sessions = [(spark.newSession(), mode) for mode in options.mode]
    looks = itertools.cycle(itertools.product(options.table, sessions))
    stopped = stdin_closed()
    with options.out.open("a") as journal:
        append(journal, {"ready": time.monotonic()})
        while not stopped.is_set():
            table, (session, mode) = next(looks)
            append(journal, _read(session, mode, table))
    spark.stop()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--conf", required=True)
    parser.add_argument("--table", action="append", required=True)
    parser.add_argument("--mode", type=Mode, choices=list(Mode), action="append")
    parser.add_argument("--out", type=Path, required=True)
    return parser.parse_args()


def stdin_closed() -> Event:
    """Set once the parent closes this process's stdin."""
    closed = Event()

    def wait() -> None:
        sys.stdin.read()
        closed.set()

    Thread(target=wait, daemon=True).start()
    return closed


def _read(spark: SparkSession, mode: Mode, table: str) -> dict[str, Any]:
    started = time.monotonic()
    name, _, shape = table.partition("=")
    version, fault = _outcome(spark, name, mode, INSPECTED[shape])
    times = {"started": started, "ended": time.monotonic()}
    return {**times, "version": version, "fault": fault, "mode": mode.value, "table": name}


def _outcome(
    spark: SparkSession, table: str, mode: Mode, inspected: Inspect
) -> tuple[int | None, str | None]:
    try:
        return _version(spark, table, mode, inspected), None
    except WrongContentError as wrong:
        return None, str(wrong)
    except Exception as error:  # noqa: BLE001 - whatever comes instead of rows is a fault
        return None, f"{_kind(error).value}: {type(error).__name__}: {error}"[:500]


def _kind(error: Exception) -> Fault:
    refused = any(name in str(error) for name in OVERTAKEN)
    return Fault.OVERTAKEN if refused else Fault.FAILED


def _version(spark: SparkSession, table: str, mode: Mode, inspected: Inspect) -> int:
    if mode is Mode.FRESH:
        spark.sql(f"REFRESH TABLE {table}")
    # Schema and rows come from one DataFrame: the table is resolved once.
    frame = spark.table(table)
    schema = [(field.name, field.dataType.simpleString()) for field in frame.schema]
    return inspected(schema, frame.collect())


if __name__ == "__main__":
    main()
