"""What a publication needs of the engine that runs its job."""

import re
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from ..context import TableName
from .explained import analyzed_plan

STOP_SECONDS = 60.0
POLL_SECONDS = 0.05


@dataclass(frozen=True, slots=True)
class WriteFigures:
    """What a job wrote, as far as the engine counted it: None is "not known"."""

    rows: int | None = None
    files: int | None = None
    bytes: int | None = None

    @classmethod
    def of_summary(cls, summary: Mapping[str, str]) -> "WriteFigures":
        """All that a snapshot of Iceberg's shows, by its summary."""
        names = ("total-records", "total-data-files", "total-files-size")
        texts = (summary.get(name, "") for name in names)
        return cls(*(int(text) if text.isdecimal() else None for text in texts))


UNKNOWN = WriteFigures()


@dataclass(frozen=True, slots=True)
class TableRead:
    """One place in a plan where a table is read: from which location, and which files of it.

    A plan does not say the files of a table whose format has a log, nor of a Hive table.
    """

    location: str
    files: frozenset[tuple[str, str, str]] = frozenset()
    """Path, bytes and time of each."""


class Job(Protocol):
    """The job of one version, which can be stopped by itself."""

    @property
    def canceled(self) -> bool:
        """True once the run was cancelled."""

    def stop(self) -> bool:
        """Cancel what runs of this job and wait; True when no task of it runs any more."""

    def figures(self) -> WriteFigures:
        """What the job's last write counted; of a job on a server nothing is known."""

    def reads(self, query: str, table: TableName) -> frozenset[TableRead]:
        """How the query, which is not run, reads the table, also through views and subqueries.

        Empty if it does not. Of a job on a server it is only known whether it does.
        """


@dataclass(eq=False)
class StoppableJob(Job):
    """A job as a connection makes it.

    ``given_up`` is set once the run was cancelled; ``stop`` waits for ``stop_seconds`` at most.
    """

    spark: Any
    group: str
    given_up: threading.Event
    stop_seconds: float = STOP_SECONDS

    @property
    def canceled(self) -> bool:
        return self.given_up.is_set()

    def attach(self) -> None:
        """Make what this thread submits from now on part of the job."""
        raise NotImplementedError

    def run(self, sql: str) -> Any:
        """Run a statement as part of the job; a query runs when its rows are fetched."""
        self.attach()
        return self.spark.sql(sql)

    def complete(self, frame: Any) -> None:
        """Compute all columns of all rows of a query, and keep none; a command has run already."""
        if frame.columns:
            frame.write.format("noop").mode("overwrite").save()

    def cancel(self) -> None:
        """Ask Spark to stop what runs of the job, without waiting for it."""
        raise NotImplementedError

    def figures(self) -> WriteFigures:
        return WriteFigures()

    def reads(self, query: str, table: TableName) -> frozenset[TableRead]:
        """By what EXPLAIN says, which names the tables behind views, too.

        Raises:
            StagingError: the query can't be planned, or EXPLAIN does not say all of the plan.
        """
        said = "\n".join(str(row[0]) for row in self.run(f"EXPLAIN EXTENDED {query}").collect())
        analyzed = analyzed_plan(said, table).replace("`", "").lower()
        name = re.escape(".".join(table.parts).lower())
        return frozenset([TableRead("")] if re.search(rf"\b{name}(?!\w)", analyzed) else [])

    def progress(self) -> str:
        """How far its last statement is; empty where nothing is known."""
        return ""

    def written_by(self, sql: str, frame: Any) -> WriteFigures:  # noqa: ARG002 (for a session)
        """Rows and bytes that this statement, the job's last one, has written."""
        return WriteFigures()

    def _waits_for(self, ended: Callable[[], bool]) -> bool:
        """True once it has ended; False if the time is over before."""
        deadline = time.monotonic() + self.stop_seconds
        while not ended():
            if time.monotonic() > deadline:
                return False
            time.sleep(POLL_SECONDS)
        return True


class Engine(Protocol):
    """A Spark session, in this process or on a server."""

    @property
    def version(self) -> str:
        """Spark's."""

    def sql(self, statement: str) -> None:
        """Run a statement that returns nothing."""

    def refresh(self, name: TableName) -> None:
        """Forget what this session's caches hold of a table."""

    def reads(self, file_format: str) -> bool:
        """True if the session has a data source of that name."""
