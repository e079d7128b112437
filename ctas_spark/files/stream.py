"""A stream as the source of a version: its new rows, and the checkpoint that goes with them.

Rows and offsets have to be committed together, or a failure in between loses rows or repeats them.
Here one call commits both, because the checkpoint lies inside the version's directory, under a name
that Spark and Hive hide: whatever makes a table show a version makes the next run go on behind it.
Of two runs from one base, one commits rows and offsets, and nothing of the other stays. A rollback
goes back in the source, too, and the deletion of a version takes its checkpoint along. So there is
no other place that has to agree with the table, and nothing more to recover.

The query runs on a copy of the base's checkpoint: one that is published is never written to, so a
run can fail at any moment. It runs in a directory that is named like a version and lies next to
it, because a CTAS wants its own empty. What a killed run leaves there goes as any other version
that was never published. Spark's file sink writes the new rows there, and the version's CTAS
selects them as it selects those of any other query: layout, contract, merge and figures are its.
"""

import json
import re
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from ..context import DELTA, TableName
from ..engines import jvm
from ..engines.protocol import Job
from ..errors import JobCanceledError, NoCheckpointError, NotSupportedError
from ..publish import messages
from ..steps import Step
from ..storage.client import Removal, Storage, empty
from .directories import FOLDER
from .staging_entry import VALID

CHECKPOINT = "_checkpoint"
"""Below a version's directory."""
OFFSETS, COMMITS = "offsets", "commits"
VERSION_OF_OURS = re.compile(rf"/{FOLDER}/{VALID.pattern}/")
EMPTY_LOG = "v1"
"""A log of Spark's file sink without an entry."""
POLL_SECONDS = 0.2
SOURCE = "StreamingRelation"
"""Spark's node for the sources that have a path; the others keep no files of their own."""


class StreamRun:
    """One run of a stream for a version of ``target``, in a directory of its own."""

    def __init__(self, storage: Storage, directory: str, target: TableName) -> None:
        self._storage = storage
        self._directory = directory
        self._target = target
        self._rows = f"{directory}/rows"
        self._checkpoint = f"{directory}/{CHECKPOINT}"
        self._begins_after: int | None = None

    @property
    def removal(self) -> Removal:
        """How it is removed, with all that it wrote."""
        what = f"directory {self._directory}"
        return Step.DELETE_FILES, what, lambda: empty(self._storage, self._directory)

    def go_on_from(self, version: str | None) -> None:
        """Begin behind a version, which is named by its directory, and not at the source's start.

        Raises:
            NoCheckpointError: it was not made of a stream, or part of its checkpoint is gone.
        """
        known = f"{version}/{CHECKPOINT}"
        if version is None or not self._storage.exists(known):
            what = (
                "the table's live version has no checkpoint of a stream, so it is not known which "
                "rows of the source it holds"
            )
            remedy = (
                "build it from the beginning of the source by --full-refresh; or roll back to a "
                "version that was made of the stream"
            )
            raise NoCheckpointError(what, table=self._target, left=messages.NO_JOB, remedy=remedy)
        self._storage.copy(known, self._checkpoint)
        self._begins_after = self._last(COMMITS)
        if self._begins_after != self._last(OFFSETS):
            # Spark would take it for one of a run that was stopped, and take a batch again
            what = f"the checkpoint of the table's live version lacks files: {known}"
            remedy = (
                "roll back to an earlier version; or build it from the beginning of the source by "
                "--full-refresh"
            )
            raise NoCheckpointError(what, table=self._target, left=messages.NO_JOB, remedy=remedy)
        self._renew_id()
        # the sink goes on with the batches' numbers, and misses those before in its new log
        log = f"{self._rows}/_spark_metadata/{self._begins_after}.compact"
        if self._begins_after >= 0:
            self._storage.write(log, EMPTY_LOG)

    def new_rows(self, stream: Any, job: Job) -> Any:
        """A batch of what is new, or None if the source has not moved since the base.

        Raises:
            JobCanceledError: it did not get to its end.
        """
        run_to_its_end(stream, self._checkpoint, self._rows, job)
        last = self._last(COMMITS)
        if last != self._last(OFFSETS):
            # rows of a batch that is not committed would come again
            raise JobCanceledError(
                "the stream was stopped before it had read all that was there",
                table=self._target,
                left=messages.NOTHING_PUBLISHED,
                remedy=messages.AGAIN,
            )
        if last == self._begins_after:
            return None
        return stream.sparkSession.read.schema(stream.schema).parquet(self._rows)

    def hand_over(self, version: str) -> None:
        """Put the checkpoint into a staged version's directory."""
        self._storage.copy(self._checkpoint, f"{version}/{CHECKPOINT}")

    def _renew_id(self) -> None:
        """Spark stops a query if another of the same id starts, as one from the same base would."""
        metadata = f"{self._checkpoint}/metadata"
        self._storage.delete(metadata)  # and Hadoop's checksum of it
        self._storage.write(metadata, json.dumps({"id": str(uuid.uuid4())}))

    def _last(self, log: str) -> int:
        """The number of a log's last batch; -1 without one."""
        names = self._storage.children(f"{self._checkpoint}/{log}")
        return max((int(name) for name in names if name.isdecimal()), default=-1)


def check_sources(stream: Any, target: TableName) -> None:
    """Refuse what would repeat rows or lose them.

    Raises:
        NotSupportedError: it reads versions, or a source that forgets what a failed run has read.
    """
    for source in sources(stream):
        path = source.options.get("path", "")
        if source.provider != DELTA and VERSION_OF_OURS.search(f"{path}/"):
            # a Delta table stays where it was first built
            what = (
                f"the stream reads {path}, which is one version of a table: the next one has all "
                "rows in new files, and a stream would take them all again"
            )
            remedy = "read that table as a batch, or build it in Delta or Iceberg by appending rows"
            raise NotSupportedError(what, table=target, left=messages.NO_JOB, remedy=remedy)
        if source.options.get("cleansource", "off").lower() != "off":
            what = (
                f"the stream of {path} has the option cleanSource, which takes files away before "
                "their rows are published, so that a run that fails loses them"
            )
            remedy = "remove the option, and let something else delete what was published"
            raise NotSupportedError(what, table=target, left=messages.NO_JOB, remedy=remedy)


@dataclass(frozen=True, slots=True)
class Source:
    """What a stream reads: its format and its options, by name, all in small letters."""

    provider: str
    options: Mapping[str, str]


def sources(stream: Any) -> Iterator[Source]:
    """Each source that has a path."""
    leaves = stream._jdf.queryExecution().analyzed().collectLeaves()  # noqa: SLF001 (its plan)
    for leaf in jvm.each(leaves):
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
