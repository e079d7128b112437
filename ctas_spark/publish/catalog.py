"""A kind of catalog on which tables can be staged (FLIP-305 ``StagingCatalog``)."""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import Protocol

from ..context import Atomicity, StagingContext, TableName
from ..engines.protocol import Job
from ..errors import AtomicityNotSupportedError
from ..retention.rules import Event, RetentionRules, Sweep
from .rollback import RolledBack
from .staged_table import Plan


class ConflictCheck(str, Enum):
    """How a rival's commit is noticed."""

    CAS = "cas"
    LOCK = "lock"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What a catalog was found to be and to reach.

    ``missing`` says what keeps it from ``isolated``, and ``remedy`` what would make that work.
    """

    catalog: str
    conflict_check: ConflictCheck
    reaches: Atomicity
    missing: str = ""
    remedy: str = ""

    def level_for(self, asked: Atomicity, target: TableName) -> Atomicity:
        """The level to work at; ``auto`` takes the strongest.

        Raises:
            AtomicityNotSupportedError: the catalog reaches less than was asked for.
        """
        wanted = self.reaches if asked is Atomicity.AUTO else asked
        if wanted.strength > self.reaches.strength:
            raise AtomicityNotSupportedError(
                f"atomicity {asked.value} can't be reached on this {self.catalog} catalog: "
                f"{self.missing}",
                table=target,
                left="it is unchanged; no job was started",
                remedy=self.remedy,
            )
        return wanted


Ruled = tuple[StagingContext, RetentionRules]
"""A table, and how long its versions stay."""


Deletion = Callable[[], Sweep]
"""The second half of a clean-up: what was taken goes, unless a table shows it after all."""


def without(found: Iterable[TableName], known: Iterable[TableName]) -> tuple[TableName, ...]:
    """Those that are not known, each once, by name; case tells no two tables apart."""
    by_name = {str(one).lower(): one for one in found}
    for one in known:
        by_name.pop(str(one).lower(), None)
    return tuple(by_name[name] for name in sorted(by_name))


class CleanUpOfOne(Protocol):
    """A ``clean_up`` of one table."""

    def __call__(
        self, context: StagingContext, rules: RetentionRules, *, dry_run: bool = False
    ) -> Sweep:
        """As ``StagingCatalog.clean_up``."""


class StagingCatalog(Protocol):
    """One implementation for each kind of table; what a kind has not got, it need not say."""

    def capabilities(self, staging_schema: str) -> Capabilities:
        """What this catalog reaches; probed once, with ``staging_schema`` as the place to try."""

    def plan(self, context: StagingContext, job: Job) -> Plan:
        """The plan for the context; AtomicityNotSupportedError if its level is not reached.

        No job is started and nothing about the target is read or written yet.
        """

    def has_staged(
        self,
        context: StagingContext,  # noqa: ARG002 (nothing proves it)
        record: TableName,  # noqa: ARG002
    ) -> bool:
        """Whether it is proven that the statement which stages a version has ended well.

        Asked where its answer was lost, and it may still run for a while.
        """
        return False

    def clean_up(
        self, context: StagingContext, rules: RetentionRules, *, dry_run: bool = False
    ) -> Sweep:
        """Delete the target's versions that nobody needs any more, by ``rules``.

        Raises:
            StagingError: it could not be found out whether something may go; the rest stays.
        """

    def begin_clean_up(
        self, context: StagingContext, rules: RetentionRules, *, dry_run: bool = False
    ) -> Deletion:
        """Take what a clean-up may delete; the returned call deletes it.

        If several tables are begun before the first is ended, one search of the whole catalog tells
        who shows a version of any of them. Where a table's own history tells it, all is done at the
        end. Both halves raise like ``clean_up``.
        """
        return partial(self.clean_up, context, rules, dry_run=dry_run)

    def clean_ups(self, tables: Sequence[Ruled]) -> CleanUpOfOne:  # noqa: ARG002 (one by one)
        """The ``clean_up`` of any of these tables, whose records are in one staging schema.

        What can be read of many of them at once is, and nothing of versions that are too young to
        be deleted. Where each table has a history of its own, nothing can.

        Raises:
            StagingError: it could not be read; each table can still be cleaned up by itself.
        """
        return self.clean_up

    def abandoned(
        self,
        context: StagingContext,  # noqa: ARG002 (each has a history of its own)
        known: Collection[TableName],  # noqa: ARG002
    ) -> tuple[TableName, ...]:
        """The tables that have something staged by the context, and are not ``known``.

        That is in its staging schema or, where branches are staged in tables, in its database.
        """
        return ()

    def begin_clean_up_abandoned(
        self,
        context: StagingContext,  # noqa: ARG002 (of none)
        rules: RetentionRules,  # noqa: ARG002
        *,
        dry_run: bool = False,  # noqa: ARG002
    ) -> Deletion:
        """Take what a table has left of which no model is known.

        Whoever else may build it, and what they keep, is not known. So a table that shows a version
        keeps all that was published. What never was goes by its age, as with a model.
        """
        return Sweep

    def drop_left_views(
        self,
        context: StagingContext,  # noqa: ARG002 (stages none)
        *,
        dry_run: bool = False,  # noqa: ARG002
    ) -> tuple[TableName, ...]:
        """Drop the old views in the staging schema that were never published; which they are."""
        return ()

    def forget_staging_schema(self, context: StagingContext) -> bool:  # noqa: ARG002 (of none)
        """Drop the staging schema of a schema that is gone, once it holds no record; True if so."""
        return False

    def recover(self, context: StagingContext) -> tuple[str, ...]:  # noqa: ARG002 (of none)
        """Finish what crashes left half done of the target; what was done, as sentences.

        A statement that a crash cut off has had its whole effect, or none.
        """
        return ()

    def history(self, context: StagingContext) -> tuple[Event, ...]:
        """The target's publications, newest first."""

    def roll_back(self, context: StagingContext, to: str | None = None) -> RolledBack:
        """Publish version ``to`` again, or the one before the live one: one commit."""
