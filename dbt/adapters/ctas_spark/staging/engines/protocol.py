"""What the commit needs of the engine that runs a version's job."""

from dataclasses import dataclass
from typing import Protocol

from dbt.adapters.ctas_spark.staging.context import TableName


@dataclass(frozen=True, slots=True)
class WriteFigures:
    """What a job wrote, as far as the engine counted it: None is "not known"."""

    rows: int | None = None
    files: int | None = None
    bytes: int | None = None


class Job(Protocol):
    """The job of one version, by itself stoppable."""

    @property
    def canceled(self) -> bool:
        """True once the run was cancelled."""

    def stop(self) -> bool:
        """Cancel what runs of this job and wait; True when no task of it runs any more."""

    def figures(self) -> WriteFigures:
        """What the job's last write counted; None for each figure that is not known."""


class StoppableJob(Job, Protocol):
    """A job as a connection makes it: what a thread submits belongs to it once it is attached."""

    group: str

    def attach(self) -> None:
        """Make what this thread submits from now on part of the job."""

    def cancel(self) -> None:
        """Ask Spark to stop what runs of the job, without waiting for it."""


class Statements(Protocol):
    """A Spark session, local or remote, that runs SQL."""

    def sql(self, statement: str) -> None:
        """Run a statement that returns nothing."""

    def refresh(self, name: TableName) -> None:
        """Forget what this session's caches hold of a table."""


class Engine(Statements, Protocol):
    """A Spark session that can tell what it reads."""

    def reads(self, file_format: str) -> bool:
        """True if the session has a data source of that name."""
