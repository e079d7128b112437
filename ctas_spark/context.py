"""What one publication is asked to do, fixed before it begins."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


class StagingPurpose(str, Enum):
    """What may become of the target.

    Source: FLIP-305; Spark's ``stageCreate``, ``stageReplace``, ``stageCreateOrReplace``.
    """

    CREATE = "create"
    CREATE_IF_NOT_EXISTS = "create_if_not_exists"
    REPLACE = "replace"
    CREATE_OR_REPLACE = "create_or_replace"

    @property
    def may_replace(self) -> bool:
        """True if a target that exists may be replaced."""
        return self in (StagingPurpose.REPLACE, StagingPurpose.CREATE_OR_REPLACE)


class Atomicity(str, Enum):
    """How strong the promise of a publication is (FLIP-218, LEVEL-1 to LEVEL-3)."""

    NONE = "none"
    ATOMIC = "atomic"
    ISOLATED = "isolated"
    AUTO = "auto"

    @property
    def strength(self) -> int:
        """The FLIP's number of the level; 0 for ``auto``, which is not one until it is decided."""
        return (Atomicity.AUTO, Atomicity.NONE, Atomicity.ATOMIC, Atomicity.ISOLATED).index(self)


class OnConflict(str, Enum):
    """What happens when another writer published since our begin."""

    ABORT = "abort"
    OVERWRITE = "overwrite"


class PartitionMetadata(str, Enum):
    """Where a published table's partitions are known: the metastore, or the directories alone."""

    AUTO = "auto"
    TRACKED = "tracked"
    FILES = "files"


SESSION_CATALOG = "spark_catalog"
DELTA = "delta"


def levels(catalog: str, namespace: str) -> tuple[str, ...]:
    """The levels of a namespace, with dots between them; the session catalog has one only."""
    return (namespace,) if catalog == SESSION_CATALOG else tuple(namespace.split("."))


def catalog_of(database: str | None) -> str:
    """The catalog that a database names; without one the session's, as in Spark's own SQL."""
    if not database or database.lower() == SESSION_CATALOG:
        return SESSION_CATALOG
    return database


@dataclass(frozen=True, slots=True)
class TableName:
    """A table by its full path: catalog, database (a namespace) and table.

    With a ``branch`` it is that line of an Iceberg table's history, which is read like a table.
    """

    database: str
    table: str
    catalog: str = SESSION_CATALOG
    branch: str = ""

    @property
    def parts(self) -> tuple[str, ...]:
        """The whole path, which Spark resolves whatever the session's current catalog is."""
        branch = (f"branch_{self.branch}",) if self.branch else ()
        return (self.catalog, *levels(self.catalog, self.database), self.table, *branch)

    def __str__(self) -> str:
        """For people and markers: without the session catalog, where no branch needs it."""
        is_implied = self.catalog == SESSION_CATALOG and not self.branch
        return ".".join(self.parts[1:] if is_implied else self.parts)


def table_name(database: str | None, schema: str, identifier: str) -> TableName:
    """A table's full path; the session catalog knows names in lower case only."""
    catalog = catalog_of(database)
    if catalog == SESSION_CATALOG:
        return TableName(schema.lower(), identifier.lower())
    return TableName(schema, identifier, catalog)


def named_in(catalog: str, text: str) -> TableName | None:
    """The table of this catalog that ``str`` writes as ``text``; None if there is no such name."""
    path = text if catalog == SESSION_CATALOG else text.removeprefix(f"{catalog}.")
    database, _, table = path.rpartition(".")
    found = TableName(database, table, catalog)
    return found if database and table and str(found) == text else None


@dataclass(frozen=True, slots=True)
class TableLayout:
    """How a version's data and entry are laid out; the clauses of its CTAS.

    ``location_root`` is a directory URI; ``buckets`` a count, with ``clustered_by`` set;
    ``sorted_by`` the order within each bucket. ``column_comments`` are those that are set on the
    staged version, by the columns' names in lower case. A ``file_format`` that was not
    ``format_given`` is a default: a catalog that has only one format uses that instead.
    """

    file_format: str = "parquet"
    partition_by: tuple[str, ...] = ()
    clustered_by: tuple[str, ...] = ()
    sorted_by: tuple[str, ...] = ()
    buckets: int | None = None
    location_root: str | None = None
    comment: str | None = None
    column_comments: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, str] = field(default_factory=dict)
    properties: Mapping[str, str] = field(default_factory=dict)
    format_given: bool = True

    @property
    def has_properties_in_entry(self) -> bool:
        """True if the metastore's entry has the properties of its CTAS; Delta's are in its log."""
        return self.file_format != DELTA

    @property
    def partition_keys(self) -> tuple[str, ...]:
        """The partition columns that the metastore's entry has; Delta's are in its log."""
        return () if self.file_format == DELTA else self.partition_by


@dataclass(frozen=True, slots=True)
class StagingContext:
    """One target and what its publication may do to it (FLIP-305 ``StagingContext``)."""

    target: TableName
    staging_schema: str
    purpose: StagingPurpose = StagingPurpose.CREATE_OR_REPLACE
    atomicity: Atomicity = Atomicity.AUTO
    on_conflict: OnConflict = OnConflict.ABORT
    layout: TableLayout = field(default_factory=TableLayout)
    partition_metadata: PartitionMetadata = PartitionMetadata.AUTO
