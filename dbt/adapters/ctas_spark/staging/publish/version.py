"""What a format with commits of its own offers for one attempt: its calls, and what they mean."""

from enum import Enum
from typing import Protocol, TypeVar

from dbt.adapters.ctas_spark.staging.context import Atomicity, TableName
from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.staging.errors import MetastoreError, RefusedError
from dbt.adapters.ctas_spark.staging.publish.outcome import Outcome
from dbt.adapters.ctas_spark.staging.steps import StepReport


class CannotReplayError(RefusedError):
    """Over another's commit the staged version would not be what was staged; nothing was called."""


class Change(Enum):
    """What became of a target since begin looked at it."""

    NONE = "it is as it was"
    FENCED = "only fenced: its version is the same"
    DROPPED = "another dropped it"
    CREATED = "another created it"
    WRITTEN = "another committed to it"


class NativeBase(Protocol):
    """A target at one moment, or the fact that there was none."""

    @property
    def exists(self) -> bool:
        """True if there is something of that name."""

    @property
    def obstacle(self) -> str:
        """What is there instead of a table of the format; empty if nothing is."""

    @property
    def version(self) -> str | None:
        """The version of ours that it shows."""

    @property
    def level(self) -> str | None:
        """The level of the last publication of ours."""


B = TypeVar("B", bound=NativeBase)


class NativeVersion(Protocol[B]):
    """One attempt's data beside its target, and the calls that publish or remove it.

    Every call raises MetastoreError, StorageError or another StagingError.
    """

    @property
    def id(self) -> str:
        """The version's id."""

    @property
    def record(self) -> TableName:
        """The entry that readers of the staged data select from."""

    @property
    def places(self) -> str:
        """Where its files lie, for messages."""

    def tend(self) -> None:
        """Remove what dead runs have left of the target; what can't be is left for later."""

    def look(self) -> B:
        """The target as it is now."""

    def stage_on(self, base: B) -> None:
        """Make the record; the target does not change."""

    def statement(self, query: str) -> str:
        """The statement that fills the record."""

    def check_staged(self) -> WriteFigures:
        """What the job wrote into the record; StagingError if that is gone, or nothing."""

    def mark(self, over: B, level: Atomicity) -> str:
        """Prepare the next attempt; its commit id.

        Raises:
            ConcurrentWriteError: a clean-up took the version; nothing may be published.
        """

    def publish(self, over: B) -> None:
        """One call, conditional on ``over``; CannotReplayError before it."""

    def change(self, begun: B, now: B) -> Change:
        """What became of the target."""

    def who(self, begun: B, now: B) -> str:
        """Who changed it, and when, as part of a sentence."""

    def decide(self, over: B, after: B, commit: str, failure: MetastoreError | None) -> Outcome:
        """COMMITTED, NOT_COMMITTED or UNKNOWN, from a fresh read and how the call ended."""

    def refresh(self) -> None:
        """Make this session's own later statements see the target as it is."""

    def forget(self, report: StepReport) -> list[str]:
        """It is published: remove the record and what only that needed; what is left of it."""

    def discard(self, report: StepReport) -> list[str]:
        """It is not published: remove its files, then the record; what is left of them."""
