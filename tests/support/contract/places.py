"""What the suite needs of a catalog under test, and of all that stands around it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

from contract.contents import LAYOUTS, Content, Layout, layouts_of
from ctas_spark.context import (
    Atomicity,
    PartitionMetadata,
    StagingContext,
    TableName,
)
from ctas_spark.engines.protocol import Job
from ctas_spark.files.catalog import SessionCatalog
from ctas_spark.publish.catalog import ConflictCheck, StagingCatalog
from ctas_spark.publish.staged_table import StagedTable


class UnreadableError(AssertionError):
    """Somebody who read the target got an error instead of rows."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The target's entry by a client that is not ours; ``whole`` is all that it got.

    ``hive_columns`` are the names of those that other engines read; empty where a format has them.
    """

    parameters: Mapping[str, str]
    directory: str
    is_view: bool
    create_time: int
    owner: str | None
    whole: Any
    hive_columns: tuple[str, ...] = ()


class Views(Enum):
    """What becomes of a view in the target's place."""

    REPLACED = "one call puts our table there"
    KEPT = "it stays, and no job is started"
    NEVER = "the catalog has none"


@dataclass(frozen=True, slots=True)
class Claim:
    """What a catalog is said to reach, before it is asked.

    ``reaches`` is the strongest level where nothing of a table's shape changes, if that is not one
    of ``levels``, at which everything else is tried: one read of a remote metastore may mix two
    versions. ``tracks`` says that the metastore keeps a table's partitions, for which it needs a
    lock; ``native_format`` is that of tables which commit by themselves, None for tables of plain
    files. ``replaces_by`` and ``creates_by`` name the call that publishes; ``drop_takes_staged``
    says that dropping a target also drops what is staged for it. ``keeps_properties`` says that
    those stay which others have set; ``held_reads_end`` that a query fails which was analysed over
    another schema; ``rolls_back`` that an earlier version can be published again; ``knows_live``
    that a table shows which version it is, and not only which one was published last. ``copies``:
    what changes more than rows is published by a copy, which compares with nothing. ``replaces``:
    a table that exists can be replaced. ``names_winner``: the error of a lost race names the
    version that won it.
    """

    conflict_check: ConflictCheck
    levels: tuple[Atomicity, ...]
    tracks: bool = False
    native_format: str | None = None
    replaces_by: str = "alter_table"
    creates_by: str = "create_table"
    reaches: Atomicity | None = None
    drop_takes_staged: bool = False
    views: Views = Views.REPLACED
    keeps_properties: bool = True
    held_reads_end: bool = False
    rolls_back: bool = True
    knows_live: bool = True
    copies: bool = False
    replaces: bool = True
    names_winner: bool = True

    @property
    def strongest(self) -> Atomicity:
        """What it reaches at most."""
        return self.reaches or max(self.levels, key=lambda level: level.strength)


def tracks(claim: Claim, level: Atomicity, layout: Layout, *, over_tracked: bool = False) -> bool:
    """True if the metastore is to keep the partitions of what is published so.

    Unless it is asked for by name, a table stays what it was: ``over_tracked``.
    """
    wanted = layout.partition_metadata
    stays = wanted is PartitionMetadata.AUTO and over_tracked and bool(layout.partition_by)
    able = claim.tracks and level is Atomicity.ATOMIC
    return able and (stays or wanted is PartitionMetadata.TRACKED)


def layouts_at(claim: Claim, level: Atomicity) -> tuple[str, ...]:
    """The names of the layouts that the claim's tables can have at a level."""
    return tuple(
        name
        for name in layouts_of(claim.native_format)
        if LAYOUTS[name].partition_metadata is not PartitionMetadata.TRACKED
        or tracks(claim, level, LAYOUTS[name])
    )


class Run(Protocol):
    """One invocation; ``catalog`` serves its tables of files."""

    @property
    def catalog(self) -> SessionCatalog: ...
    def catalog_for(self, context: StagingContext) -> StagingCatalog:
        """The catalog that serves the context's target and format."""

    def close(self) -> None:
        """The invocation ends."""


class Others(Protocol):
    """Somebody else with the same catalog: rival, reader, user; tables are ``database.table``."""

    def prepare(self, table: str, asked: Sequence[str], layout: str, number: int) -> str:
        """Begin and stage a version; return its id.

        ``asked`` are purpose, level and on_conflict.
        """

    def commit(self, version: str) -> None:
        """Publish what was prepared, whole, and settle it."""

    def publish(self, version: str) -> None:
        """Publish what was prepared, whole, and no more."""

    def settle(self, version: str) -> None:
        """Settle what was published."""

    def plain(self, table: str, layout: str, number: int) -> None:
        """Create the table by a plain CTAS, which tracks its partitions."""

    def view(self, table: str) -> None:
        """Create a view of that name."""

    def drop(self, table: str) -> None:
        """Drop the table."""

    def set_property(self, table: str, key: str, value: str) -> None:
        """Set one property of the table."""

    def insert(self, table: str, layout: str, number: int) -> None:
        """Insert the rows of a version into the table, by position."""

    def show_partitions(self, table: str) -> list[str]:
        """SHOW PARTITIONS; UnreadableError if it is refused."""

    def repair(self, table: str) -> None:
        """MSCK REPAIR TABLE."""

    def read(self, table: str) -> dict[str, Any]:
        """Columns and rows, looked up again; UnreadableError if there is no answer."""

    def hold(self, table: str) -> None:
        """Look the table up and read nothing yet."""

    def read_held(self, table: str) -> dict[str, Any]:
        """Read what was looked up by ``hold``; UnreadableError if it can't be read any more."""


class Place(Protocol):
    """A catalog under test, with all that stands around it."""

    name: str
    claim: Claim
    catalog: str
    schema: str
    another_schema: str
    staging_schema: str
    others: Others
    orphan_age_ms: int
    """From which age on a clean-up takes orphans: tests let that time go by with ``grow_old``."""

    def open_run(self) -> Run:
        """A new invocation of the product."""

    def job(self) -> Job:
        """The job of one version."""

    def grow_old(self) -> None:
        """Let the orphan age go by; where no clock can be turned on, that age is nothing."""

    def stage(self, staged: StagedTable[Any], content: Content) -> None:
        """Run the staged statement for the content."""

    def fill(self, staged: StagedTable[Any], content: Content) -> None:
        """Run the statement that fills a published empty version."""

    def read_here(self, target: TableName) -> dict[str, Any]:
        """Columns and rows as the product's own session sees them."""

    def entry(self, target: TableName) -> Entry | None:
        """The entry, by a client that is not ours."""

    def partitions(self, target: TableName, entry: Entry) -> tuple[str, ...]:
        """The partition values that the target has, of which this is the entry."""

    def files(self, directory: str) -> Mapping[str, object]:
        """Every file below a directory, with what would change if it were written again."""

    def files_of(self, staged: StagedTable[Any]) -> list[str]:
        """Every file of one version that was staged."""

    def calls(self, run: Run) -> Sequence[tuple[object, str]]:
        """All calls by which a run changes a target: what has them, and their names."""

    def remove(self, directory: str) -> None:
        """Remove a directory, as a clean-up does, or a file."""

    def records(self) -> list[str]:
        """The entries of the staging schema, but for that of its id."""

    def left_beside(self, live: StagedTable[Any]) -> list[str]:
        """What is on the storage and in the staging schema of the target, and of no use to it."""

    def forget(self, target: TableName) -> None:
        """Take the target's entries and directories away: later clean-ups look at all there are."""
