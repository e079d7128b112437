"""A behaviour: a plain function of a subject, with the purposes and levels that it is about."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from contract.places import Claim, Views
from contract.subjects import Subject
from ctas_spark.context import Atomicity, StagingPurpose
from ctas_spark.publish.catalog import ConflictCheck

Function = Callable[[Subject], None]

CREATING = tuple(purpose for purpose in StagingPurpose if purpose is not StagingPurpose.REPLACE)
REPLACING = tuple(purpose for purpose in StagingPurpose if purpose.may_replace)
DEFAULT = (StagingPurpose.CREATE_OR_REPLACE,)
EACH = (Atomicity.ISOLATED, Atomicity.ATOMIC, Atomicity.NONE)
WHOLE = (Atomicity.ISOLATED, Atomicity.ATOMIC)
ATOMIC = (Atomicity.ATOMIC,)
ISOLATED = (Atomicity.ISOLATED,)
NONE = (Atomicity.NONE,)
ANY = frozenset(ConflictCheck)
CAS = frozenset({ConflictCheck.CAS})
# Where a lock is held during a call, a rival of the same thread would wait for ever.
UNLOCKED = frozenset({ConflictCheck.CAS, ConflictCheck.NONE})


class Layouts(Enum):
    """In which layouts a behaviour is run; on fakes, all that is not ONE is EVERY."""

    EVERY = "every layout"
    TURNS = "one for each purpose, taking turns: the layout should not matter"
    ONE = "one: the layout can't matter"
    PARTITIONED = "every one that has partitions"
    UNTRACKED = "every one whose partitions the metastore does not keep"


class Tables(Enum):
    """Of which tables a behaviour is one."""

    ALL = "all"
    FILES = "those of plain files, whose entry is the metastore's"
    TRACKED = "those of them whose partitions a metastore can keep"
    MIXING = "those of which one read may mix two versions"
    AS_STAGED = "those that are always published as they were staged"
    COPIED = "those that are copied where more than rows changes"
    BRANCHED = "those that are published by branch where only rows change"
    FORMATS = "those of a format that commits by itself"
    BESIDE_VIEWS = "those in whose place a view can be"
    WITH_A_WAY_BACK = "those of which an earlier version can be published again"
    WITHOUT_A_WAY_BACK = "those of which none can"
    NEVER_REPLACED = "those that are created, and never replaced"

    def include(self, claim: Claim) -> bool:
        """True if the claim is about such tables."""
        return {
            Tables.ALL: True,
            Tables.FILES: claim.native_format is None,
            Tables.TRACKED: claim.tracks,
            Tables.MIXING: claim.reaches is not None and not claim.copies,
            Tables.AS_STAGED: not claim.copies,
            Tables.COPIED: claim.copies,
            Tables.BRANCHED: claim.native_format == "iceberg",
            Tables.FORMATS: claim.native_format is not None,
            Tables.BESIDE_VIEWS: claim.views is not Views.NEVER,
            Tables.WITH_A_WAY_BACK: claim.rolls_back,
            Tables.WITHOUT_A_WAY_BACK: not claim.rolls_back,
            Tables.NEVER_REPLACED: not claim.replaces,
        }[self]


FILES = Tables.FILES
TRACKED = Tables.TRACKED
MIXING = Tables.MIXING
AS_STAGED = Tables.AS_STAGED
COPIED = Tables.COPIED
BRANCHED = Tables.BRANCHED
FORMATS = Tables.FORMATS
BESIDE_VIEWS = Tables.BESIDE_VIEWS
WITH_A_WAY_BACK = Tables.WITH_A_WAY_BACK
WITHOUT_A_WAY_BACK = Tables.WITHOUT_A_WAY_BACK
NEVER_REPLACED = Tables.NEVER_REPLACED


@dataclass(frozen=True, slots=True)
class Behaviour:
    """Where a function applies: to which purposes, levels, claims and layouts."""

    function: Function
    purposes: tuple[StagingPurpose, ...]
    levels: tuple[Atomicity, ...]
    checks: frozenset[ConflictCheck]
    layouts: Layouts
    tables: Tables
    creates: bool

    def is_for(self, claim: Claim, level: Atomicity) -> bool:
        """True if a catalog of that claim has to show the behaviour at the level."""
        applies = self.tables.include(claim) and (claim.replaces or self.creates)
        check = ConflictCheck.NONE if claim.copies else claim.conflict_check
        return applies and level in self.levels and check in self.checks


ALL: list[Behaviour] = []


def behaviour(  # noqa: PLR0913 (where it applies)
    purposes: tuple[StagingPurpose, ...] = DEFAULT,
    *,
    levels: tuple[Atomicity, ...] = EACH,
    checks: frozenset[ConflictCheck] = ANY,
    layouts: Layouts = Layouts.EVERY,
    tables: Tables = Tables.ALL,
    creates: bool = False,
) -> Callable[[Function], Function]:
    """Add the function to the contract; it stays a plain function.

    It ``creates`` if it replaces no table.
    """

    def add(function: Function) -> Function:
        ALL.append(Behaviour(function, purposes, levels, checks, layouts, tables, creates))
        return function

    return add
