"""Publish an earlier version of a target again: one commit, schema included, for every kind."""

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Protocol

from ..context import Atomicity, OnConflict, StagingContext, StagingPurpose, TableName
from ..engines.protocol import TableRead, WriteFigures
from ..errors import NoSuchVersionError
from ..steps import Step, StepReport
from .staged_table import Plan, StagedTable
from .version import Base, Version

NONE_KEPT = (
    "none is kept. Rows that an incremental model adds in place make no version: with atomicity: "
    "isolated each run publishes one. versions_to_keep says how many of them stay"
)
TO_HAVE_ONE = (
    "build the model twice to have one; an incremental model that adds rows in place publishes a "
    "version with --full-refresh, or each time with atomicity: isolated"
)
OF_A_FORMAT = (
    "build the model twice to have one. What an incremental model adds is a commit of the format, "
    "and no version: go back to it with the format's own statements"
)


class NoJob:
    """A rollback runs no job."""

    canceled = False

    def stop(self) -> bool:
        return True

    def figures(self) -> WriteFigures:
        return WriteFigures()

    def reads(self, query: str, table: TableName) -> frozenset[TableRead]:  # noqa: ARG002 (no query)
        return frozenset()


@dataclass(frozen=True, slots=True)
class RolledBack:
    """What was published instead of what."""

    version: str
    replaced: str
    level: Atomicity


class Restoring(Protocol):
    """A kind of table whose earlier versions can be published again.

    ``none_kept`` and ``to_have_one`` say what to do if there is none but the live one, or none.
    """

    none_kept: ClassVar[str] = NONE_KEPT
    to_have_one: ClassVar[str] = TO_HAVE_ONE

    def look(self) -> Base:
        """The target as it is now."""

    def earlier(self) -> tuple[str, ...]:
        """The ids of the versions that can be published again, newest first; not the live one."""

    def unproven(self) -> tuple[str, ...]:
        """Those of which nobody can tell whether they were ever published: only by name.

        None where the format's own history says what was published.
        """
        return ()

    def restored(self, version: str, level: Atomicity, report: StepReport) -> Version[Any]:
        """An attempt that publishes an earlier version."""


def roll_back(
    context: StagingContext, restoring: Restoring, level: Atomicity, to: str | None = None
) -> RolledBack:
    """Publish version ``to``, or the one before the live one, by the same machine as a build.

    Raises:
        NoSuchVersionError: there is no such version, or its files are gone.
        ConcurrentWriteError: another committed meanwhile, or a clean-up took the version.
        CommitStateUnknownError: nothing shows whether the call took effect.
    """
    with StepReport(context.target).within(Step.ROLL_BACK):
        live = restoring.look().version
        if live is None:
            what = "the table shows no version that this adapter published, and has no earlier one"
            raise _nothing(what, context.target, restoring.to_have_one)
        chosen = _chosen(context.target, restoring, to)
        asked = replace(
            context,
            purpose=StagingPurpose.REPLACE,
            on_conflict=OnConflict.ABORT,
            atomicity=Atomicity.AUTO,
        )
        plan = Plan(asked, level, NoJob(), partial(restoring.restored, chosen))
        return RolledBack(chosen, live, _published(plan.begin()))


def _chosen(target: TableName, restoring: Restoring, to: str | None) -> str:
    earlier = restoring.earlier()
    if to is not None and to in (*earlier, *restoring.unproven()):
        return to
    if to is None and earlier:
        return earlier[0]
    what = f"there is no earlier version {f'{to} ' if to else ''}to go back to"
    kept = f"choose one of its kept versions: {', '.join(earlier)}"
    raise _nothing(what, target, kept if earlier else restoring.none_kept)


def _nothing(what: str, target: TableName, remedy: str) -> NoSuchVersionError:
    return NoSuchVersionError(what, table=target, left="it is unchanged", remedy=remedy)


def _published(staged: StagedTable[Any]) -> Atomicity:
    """Commit it; the level that was kept."""
    try:
        staged.commit()
    except BaseException as error:
        staged.abort(f"failed: {type(error).__name__}")
        raise
    staged.settle()
    return staged.level
