"""A dashboard: a process with a Spark session of its own that reads the report tables."""

import multiprocessing
import os
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

from readers.session import small_session

# Each read looks its table up anew: what a session remembers of a table that another process has
# dropped would fail for longer than the table is away.
NOTHING_REMEMBERED = {"spark.sql.filesourceTableRelationCacheSize": "0"}
SECONDS_BETWEEN_READS = 0.1
CONDITION = re.compile(r"\[[A-Z][A-Z_.]+\] .*?(?=\. |\n|$)")


@dataclass(frozen=True, slots=True)
class Answer:
    """Columns and rows of one query, as text."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(slots=True)
class Reads:
    """What became of the reads of one build."""

    count: int = 0
    failed: int = 0
    different: int = 0
    first_failure: str = ""
    expected: dict[str, Answer] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class Dashboard:
    """The running process, and the way to talk to it."""

    pid: int
    pipe: Connection

    def ask(self, query: str) -> Answer:
        """The answer to one query; raises what the query raised there."""
        self.pipe.send(("ask", query))
        return self._answer()  # type: ignore[no-any-return]

    @contextmanager
    def reading(self, queries: Sequence[str]) -> Iterator[Reads]:
        """Read one query after another until the block ends; its figures are there after it."""
        reads = Reads()
        self.pipe.send(("read", tuple(queries)))
        self._answer()
        yield reads
        self.pipe.send(("stop", ()))
        found = self._answer()
        reads.count, reads.failed, reads.different = found.count, found.failed, found.different
        reads.first_failure = found.first_failure

    def _answer(self) -> Any:
        answer = self.pipe.recv()
        if isinstance(answer, Exception):
            raise answer
        return answer


@contextmanager
def running_dashboard(conf: Mapping[str, str], log: Path) -> Iterator[Dashboard]:
    """Start the process and wait for its session; what it prints goes to ``log``."""
    context = multiprocessing.get_context("spawn")
    ours, its = context.Pipe()
    process = context.Process(target=_serve, args=(its, dict(conf), str(log)), daemon=True)
    process.start()
    its.close()
    try:
        yield Dashboard(ours.recv(), ours)
    finally:
        ours.close()
        process.join(timeout=30)
        process.kill()


def _serve(pipe: Connection, conf: Mapping[str, str], log: str) -> None:
    """Do as told until the pipe closes."""
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    os.dup2(output, 1)
    os.dup2(output, 2)
    spark = small_session({**conf, **NOTHING_REMEMBERED})
    spark.sql("show databases").collect()
    pipe.send(os.getpid())
    try:
        while True:
            order, argument = pipe.recv()
            pipe.send(_asked(spark, argument) if order == "ask" else None)
            if order == "read":
                pipe.send(_read_on(spark, argument, pipe))
    except EOFError:
        spark.stop()


def _asked(spark: SparkSession, query: str) -> Answer | Exception:
    try:
        return _answer_to(spark, query)
    except Exception as error:  # noqa: BLE001 (it is raised where it was asked)
        return RuntimeError(_words(error))


def _read_on(spark: SparkSession, queries: Sequence[str], pipe: Connection) -> Reads:
    """Read until the order to stop comes; the same data give the same answers."""
    reads = Reads()
    while not pipe.poll():
        _read(spark, queries[reads.count % len(queries)], reads)
        time.sleep(SECONDS_BETWEEN_READS)
    pipe.recv()
    return reads


def _read(spark: SparkSession, query: str, reads: Reads) -> None:
    reads.count += 1
    try:
        answer = _answer_to(spark, query)
    except Exception as error:  # noqa: BLE001 (whatever comes instead of rows is a failed read)
        reads.failed += 1
        reads.first_failure = reads.first_failure or _words(error)
        return
    reads.different += answer != reads.expected.setdefault(query, answer)


def _answer_to(spark: SparkSession, query: str) -> Answer:
    frame = spark.sql(query)
    rows = tuple(tuple(map(_text, row)) for row in frame.collect())
    return Answer(tuple(frame.columns), rows)


def _text(value: object) -> str:
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _words(error: Exception) -> str:
    """Spark's condition and its first sentence, wherever in a failed job's text it stands."""
    said = str(error).strip()
    condition = CONDITION.search(said)
    return condition[0] if condition else said.partition("\n")[0].partition(". ")[0]
