"""What the suite needs of a catalog under test, and of all that stands around it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Protocol

from contract.contents import Content, Layout
from dbt.adapters.ctas_spark.staging.catalogs.protocol import ConflictCheck, StagingCatalog
from dbt.adapters.ctas_spark.staging.context import (
    Atomicity,
    PartitionMetadata,
    StagingContext,
    TableName,
)
from dbt.adapters.ctas_spark.staging.engines.protocol import Job
from dbt.adapters.ctas_spark.staging.files.catalog import SessionCatalog
from dbt.adapters.ctas_spark.staging.metastore.client import MetastoreClient
from dbt.adapters.ctas_spark.staging.publish.protocol import StagedTable
from dbt.adapters.ctas_spark.staging.retention.lease import Lease


class UnreadableError(AssertionError):
    """Somebody who read the target got an error instead of rows."""


@dataclass(frozen=True, slots=True)
class Entry:
    """The target's entry by a client that is none of ours; ``whole`` is all that it got."""

    parameters: Mapping[str, str]
    directory: str
    is_view: bool
    create_time: int
    owner: str | None
    whole: Any


class Views(Enum):
    """What becomes of a view in the target's place."""

    REPLACED = "one call puts our table there"
    KEPT = "it stays, and no job is started"
    NEVER = "the catalog has none"


@dataclass(frozen=True, slots=True)
class Claim:
    """What a catalog is said to reach, before it is asked.

    ``tracks`` says that the metastore keeps a table's partitions, for which it needs a lock;
    ``native_format`` is that of tables which commit by themselves, None for tables of plain files.
    ``replaces_by`` and ``creates_by`` name the call that publishes; ``drop_takes_staged`` says that
    who drops a target drops what is staged for it, too. ``keeps_properties`` says that those stay
    which others have set; ``held_reads_end`` that a query fails which was analysed over another
    schema; ``rolls_back`` that an earlier version can be published again; ``knows_live`` that a
    table shows which version it is, and not only which one was published last.
    """

    conflict_check: ConflictCheck
    levels: tuple[Atomicity, ...]
    tracks: bool = False
    native_format: str | None = None
    replaces_by: str = "alter_table"
    creates_by: str = "create_table"
    drop_takes_staged: bool = False
    views: Views = Views.REPLACED
    keeps_properties: bool = True
    held_reads_end: bool = False
    rolls_back: bool = True
    knows_live: bool = True


def tracks(claim: Claim, level: Atomicity, layout: Layout) -> bool:
    """True if the metastore is to keep the partitions of what is published so."""
    return (
        claim.tracks
        and bool(layout.partition_by)
        and layout.partition_metadata is not PartitionMetadata.FILES
        and level is Atomicity.ATOMIC
    )


class Run(Protocol):
    """One invocation: a catalog with its lease, and the client it makes its calls by."""

    @property
    def catalog(self) -> SessionCatalog: ...
    def catalog_for(self, context: StagingContext) -> StagingCatalog:
        """The catalog that serves the context's target and format."""

    @property
    def lease(self) -> Lease: ...
    @property
    def metastore(self) -> MetastoreClient: ...
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
        """Columns and rows, looked up anew; UnreadableError if there is no answer."""

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
    staging_schema: str
    others: Others

    def open_run(self) -> Run:
        """A new invocation of the product."""

    def job(self) -> Job:
        """The job of one version."""

    def stage(self, staged: StagedTable, content: Content) -> None:
        """Run the staged statement for the content."""

    def fill(self, staged: StagedTable, content: Content) -> None:
        """Run the statement that fills a published empty version."""

    def read_here(self, target: TableName) -> dict[str, Any]:
        """Columns and rows as the product's own session sees them."""

    def entry(self, target: TableName) -> Entry | None:
        """The entry, by a client that is none of ours."""

    def partitions(self, target: TableName, entry: Entry) -> tuple[str, ...]:
        """The partition values that the target has, of which this is the entry."""

    def files(self, directory: str) -> Mapping[str, object]:
        """Every file below a directory, with what would change if it were written again."""

    def files_of(self, staged: StagedTable) -> list[str]:
        """Every file of one version that was staged."""

    def calls(self, run: Run) -> Sequence[tuple[object, str]]:
        """All calls by which a run changes a target: what has them, and their names."""

    def remove(self, directory: str) -> None:
        """Remove a directory, as a clean-up does."""

    def records(self) -> list[str]:
        """The entries of the staging schema."""

    def leases(self) -> Mapping[str, str]:
        """The leases on the storage, each with its text."""

    def leases_of(self, run: Run) -> set[str]:
        """All leases that a run may have written."""

    def write_lease(self, lease: str, text: str) -> None:
        """Leave a lease, as a run does that was killed."""

    def left_beside(self, live: StagedTable) -> list[str]:
        """What is on the storage and in the staging schema of the target, and of no use to it."""

    def forget(self, target: TableName) -> None:
        """Take the target's entries and directories away: later clean-ups look at all there are."""
