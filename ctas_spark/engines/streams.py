"""A streaming DataFrame: what it reads, and one run of it that ends when all was read."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from ..errors import JobCanceledError
from . import jvm
from .protocol import Job

POLL_SECONDS = 0.2
SOURCE = "StreamingRelation"
"""Spark's node for the sources that have a path; the others keep no files of their own."""


@dataclass(frozen=True, slots=True)
class Source:
    """What a stream reads: its format and its options, by name, all in small letters."""

    provider: str
    options: Mapping[str, str]


def sources(stream: Any) -> Iterator[Source]:
    """Each source that has a path."""
    leaves = stream._jdf.queryExecution().analyzed().collectLeaves()  # noqa: SLF001 (its plan)
    for leaf in map(leaves.apply, range(leaves.size())):
        if str(leaf.nodeName()) == SOURCE:
            found = jvm.as_json(stream.sparkSession, leaf.dataSource().options())
            options = {name.lower(): str(value) for name, value in found.items()}
            yield Source(str(leaf.dataSource().className()).lower(), options)


def run_to_its_end(stream: Any, checkpoint: str, directory: str, job: Job) -> None:
    """Write what is new since the checkpoint to Parquet files in a directory.

    Raises:
        JobCanceledError: the run was cancelled; nothing of the query runs any more.
    """
    writer = stream.writeStream.format("parquet").outputMode("append")
    writer = writer.trigger(availableNow=True).option("checkpointLocation", checkpoint)
    with _stopped_at_the_end(writer.start(directory)) as query:
        while not query.awaitTermination(POLL_SECONDS):
            if job.canceled:
                raise JobCanceledError("the run was cancelled; its stream was stopped")


@contextmanager
def _stopped_at_the_end(query: Any) -> Iterator[Any]:
    """It runs in a thread of Spark's, which no cancel of a job group reaches."""
    try:
        yield query
    finally:
        with suppress(*jvm.FAILURES):
            query.stop()
