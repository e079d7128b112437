"""What a kind of table implements for one attempt, and how the fate of its commit call is told."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, Protocol, TypeVar

from ..context import Atomicity, TableName
from ..engines.protocol import Job, WriteFigures
from ..errors import (
    EntryExistsError,
    EntryMissingError,
    EntryModifiedError,
    MetastoreError,
    RefusedError,
    StorageError,
)
from ..steps import StepReport
from .locks import HeldCheck

BY_RIVALS = (EntryModifiedError, EntryExistsError, EntryMissingError)


class Outcome(str, Enum):
    """The fate of one publication; KEPT means that none was asked for."""

    COMMITTED = "committed"
    NOT_COMMITTED = "not_committed"
    UNKNOWN = "unknown"
    KEPT = "kept"


def decide(failure: MetastoreError | None, *, shows_ours: bool, can_not_land: bool) -> Outcome:
    """The outcome, from a read after the call and from how the call ended.

    COMMITTED is decided first, after a refusal too: a retry in client or server turns a success
    into "conflict" or "exists" (Iceberg's ``checkCommitStatus`` does the same).

    Args:
        shows_ours: our commit is the target's marker, or in its lineage.
        can_not_land: others' commits, all of which can be seen, have led the target away from our
            base: a request of ours that is still under way will be refused.
    """
    if shows_ours:
        return Outcome.COMMITTED
    if isinstance(failure, RefusedError) or can_not_land:
        return Outcome.NOT_COMMITTED
    return Outcome.UNKNOWN


def is_by_rival(failure: MetastoreError | None) -> bool:
    """True if the call did nothing because another's came first.

    Where the call itself was not refused, the target has shown that by having left our base.
    """
    return not isinstance(failure, RefusedError) or isinstance(failure, BY_RIVALS)


class CannotReplayError(RefusedError):
    """Over another's commit the staged version would not be what was staged; nothing was called."""


class SweptError(RefusedError):
    """A clean-up took the version's record before the call; nothing of it is published."""


class NotWholeError(RefusedError):
    """Something of the staged version is missing, so that nothing was called; it says what."""


@contextmanager
def before_the_call() -> Iterator[None]:
    """Whatever fails here has committed nothing: RefusedError."""
    try:
        yield
    except RefusedError:
        raise
    except (MetastoreError, StorageError) as error:
        raise RefusedError(error.what) from error


class Change(Enum):
    """What became of a target since ``begin`` looked at it."""

    NONE = "it is as it was"
    MAINTAINED = "nothing that a publication depends on has changed; only upkeep came in between"
    DROPPED = "another dropped it"
    CREATED = "another created it"
    WRITTEN = "another committed to it"


@dataclass(frozen=True, slots=True)
class Reach:
    """What a publication over one base keeps.

    ``strategy`` names the call in run results. ``reader_window`` is what a reader may meet during
    it: ``none`` or ``mixed``. ``missing`` says what keeps it from ``isolated``, and ``remedy`` what
    would make that work. ``warning`` is logged if the publication goes on. ``conflict_check`` is
    how a rival's commit is noticed, where that differs from the rest of the catalog.
    ``hides_partitions``: by default, engines that ask the metastore for a new table's partitions
    find none.
    """

    level: Atomicity
    strategy: str
    reader_window: str = "none"
    missing: str = ""
    remedy: str = ""
    warning: str = ""
    conflict_check: str = ""
    hides_partitions: bool = False


class Base(Protocol):
    """A target at one moment, or the fact that there was none."""

    @property
    def exists(self) -> bool:
        """True if something has the name."""

    @property
    def obstacle(self) -> str:
        """What is there instead of a table of the kind, in words; empty if nothing is."""

    @property
    def can_be_replaced(self) -> bool:
        """True if one commit of the kind replaces the obstacle."""

    @property
    def version(self) -> str | None:
        """Which of our versions it shows."""

    @property
    def level(self) -> str | None:
        """The level of our last publication."""


B = TypeVar("B", bound=Base)


class Version(Protocol[B]):
    """One attempt's data next to its target, and the calls that publish or remove it.

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

    @property
    def keeps_own_columns(self) -> bool:
        """True if the table's format keeps its columns, and counts what is written, by itself."""

    @property
    def has_log(self) -> bool:
        """True if every change of the table's rows is a commit, which ``change`` sees."""

    @property
    def partition_metadata(self) -> str | None:
        """Where its partitions are listed: ``files``, ``tracked``, ``pending``; None without."""

    def look(self) -> B:
        """The target as it is now."""

    def finish_interrupted(self, found: B) -> B:
        """Finish what a crash left half done; readers don't notice. The target after that."""

    def reach(self, over: B) -> Reach:
        """What a publication over ``over`` keeps, as far as that is known yet.

        Raises:
            AtomicityNotSupportedError: no single call can publish over it.
        """

    def stage_on(self, base: B, level: Atomicity) -> None:
        """Prepare the staging of a version for that base; nothing about the target is written."""

    def read_afresh(self) -> None:
        """From now on the session reads the base, and nothing that it remembers."""

    def hold_old_rows(self) -> None:
        """The version's job reads the target: note the rows that it has now, before the job does.

        A change of these is then a change of the target, also where it leaves no trace but files.
        The session reads it afresh.
        """

    def read_new_rows(self, stream: Any, job: Job, *, resumes: bool) -> Any:
        """What is new in a streaming DataFrame, as a batch for the version; None if nothing is.

        Where the stream has got to is published with the version. ``resumes``: what the base has
        is not new.
        """

    def statement(self, query: str) -> str:
        """The statement that stages the version."""

    def fill_statement(self, query: str) -> str:
        """The statement that fills a published empty version in place (level ``none`` only)."""

    def check_staged(self, counted: WriteFigures) -> WriteFigures:
        """Check that what the job wrote is there, whole; its figures.

        It is called when the job has ended, with what the engine counted, and directly before the
        commit, with what the first call returned.

        Raises:
            StagingError: the version is gone, or not whole.
        """

    def held(self) -> AbstractContextManager[HeldCheck]:
        """Hold the lock around the commit, where there is no compare-and-swap."""

    def change(self, begun: B, now: B) -> Change:
        """What became of the target."""

    def changed_by(self, begun: B, now: B) -> str:
        """The writer that changed the target, and the time, as part of a sentence."""

    def rebase(self, over: B) -> None:
        """Write another base than begin's to the record, by compare-and-swap.

        Raises:
            ConcurrentWriteError: a clean-up took the version.
        """

    def mark(self, over: B, level: Atomicity) -> str:
        """Prepare the next commit call; its commit id. Raises like ``rebase``."""

    def publish(self, over: B) -> None:
        """One call, conditional on ``over``.

        Raises:
            CannotReplayError, SweptError, NotWholeError: it was not made.
        """

    def decide(self, over: B, after: B, commit: str, failure: MetastoreError | None) -> Outcome:
        """COMMITTED, NOT_COMMITTED or UNKNOWN, from ``after`` and from how the call ended."""

    def settle(self, report: StepReport) -> list[str]:
        """Make this session see the published version, and remove what only the attempt needed.

        Never raises; what is left, in words.
        """

    def discard(self, report: StepReport) -> list[str]:
        """Remove the unpublished version: files, then record. Never raises; what is left."""


class FormatVersion(Generic[B]):
    """What is the same in every kind whose format, or catalog, commits by itself.

    Such a commit is there or is not: there is no lock to hold, and nothing to finish. Level
    ``none`` is refused before anything begins.
    """

    keeps_own_columns = True
    has_log = True
    partition_metadata: str | None = None

    def finish_interrupted(self, found: B) -> B:
        return found

    def read_afresh(self) -> None:
        """Where a session remembers a format's table, ``stage_on`` sees to it."""

    def hold_old_rows(self) -> None:
        """A format's own log shows whatever changes its rows."""

    def read_new_rows(self, stream: Any, job: Job, *, resumes: bool) -> Any:
        raise NotImplementedError(f"no place in the format for the checkpoint of {stream}")

    def fill_statement(self, query: str) -> str:
        raise NotImplementedError(f"a version that is committed whole is not filled by {query}")

    def held(self) -> AbstractContextManager[HeldCheck]:
        return nullcontext(lambda: None)


B_contra = TypeVar("B_contra", bound=Base, contravariant=True)


class Strategy(Protocol[B_contra]):
    """One of several ways to publish a version; the calls are those of ``Version``."""

    @property
    def record(self) -> TableName: ...

    @property
    def places(self) -> str: ...

    def statement(self, query: str) -> str: ...

    def check_staged(self) -> WriteFigures: ...

    def rebase(self, over: B_contra) -> None: ...

    def mark(self, over: B_contra, level: Atomicity) -> str: ...

    def publish(self, over: B_contra) -> None: ...

    def settle(self, report: StepReport) -> list[str]: ...

    def discard(self, report: StepReport) -> list[str]: ...


S = TypeVar("S", bound=Strategy[Any])


class ChoosingVersion(FormatVersion[B], Generic[B, S]):
    """A version that goes one of several ways, chosen when the model's query is known."""

    _strategy: S

    @property
    def record(self) -> TableName:
        return self._strategy.record

    @property
    def places(self) -> str:
        return self._strategy.places

    def check_staged(self, counted: WriteFigures) -> WriteFigures:  # noqa: ARG002 (of other writes)
        return self._strategy.check_staged()

    def rebase(self, over: B) -> None:
        self._strategy.rebase(over)

    def mark(self, over: B, level: Atomicity) -> str:
        return self._strategy.mark(over, level)

    def publish(self, over: B) -> None:
        self._strategy.publish(over)

    def discard(self, report: StepReport) -> list[str]:
        return self._strategy.discard(report)
