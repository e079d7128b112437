"""What publications need of a metastore: its entries, and a few calls."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol
from urllib.parse import unquote

from ..context import TableName
from ..errors import MetastoreError

VIEW = "VIRTUAL_VIEW"
MANAGED = "MANAGED_TABLE"
PROVIDER = "spark.sql.sources.provider"
PARTITION_COLUMN = "spark.sql.sources.schema.partCol."
PARTITION_COLUMN_COUNT = "spark.sql.sources.schema.numPartCols"

STAGED_STATICALLY = {"PARTITIONOVERWRITEMODE": "static"}
"""The option of a staging CTAS, whatever the session's mode is: some committers can't do another.

It is published with no table, where it would rule each later INSERT OVERWRITE. Spark ignores the
case of an option, and nobody else spells it so.
"""

Column = tuple[str, str] | tuple[str, str, str]
"""Name and type, and a comment where there is one."""
PLACEHOLDER: Column = ("col", "array<string>", "from deserializer")
"""What Spark puts into ``sd.cols`` of a table whose columns Hive can't read."""


class CallUnansweredError(MetastoreError):
    """The server was asked to change something and did not answer: it may yet do so."""


@dataclass(frozen=True, slots=True)
class TableEntry:
    """What the metastore holds of a table.

    ``location`` is where Spark reads: for its data sources the serde's ``path``, since a metastore
    without the jars of an object store keeps a placeholder in ``sd.location``, and else the latter.
    ``also_at`` is the other of the two, where other engines may read. ``columns`` and
    ``partition_keys`` are Hive's own, and ``comments`` are those of the columns, by name. ``raw``
    is the client's own object, which loses nothing.
    """

    name: TableName
    table_type: str
    location: str | None
    columns: tuple[tuple[str, str], ...]
    partition_keys: tuple[str, ...]
    create_time: int
    parameters: Mapping[str, str]
    raw: object = field(compare=False, repr=False)
    comments: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)
    owner: str = field(default="", compare=False, repr=False)
    also_at: str | None = field(default=None, compare=False, repr=False)

    @property
    def is_view(self) -> bool:
        """True for a view, which has no data of its own."""
        return self.table_type == VIEW

    @property
    def is_managed(self) -> bool:
        """True for a table whose data goes with it when it is dropped, and moves when renamed."""
        return self.table_type == MANAGED

    @property
    def described_columns(self) -> tuple[Column, ...]:
        """Hive's columns with their comments, as a change can carry them."""
        return tuple(
            (name, kind, self.comments[name]) if name in self.comments else (name, kind)
            for name, kind in self.columns
        )

    @property
    def partition_columns(self) -> tuple[str, ...]:
        """The columns by which Spark takes the table to be partitioned.

        A data source table has them in its parameters, whatever keys Hive has for it; any other
        table has Hive's.
        """
        count = self.parameters.get(PARTITION_COLUMN_COUNT)
        if count is None:
            return () if PROVIDER in self.parameters else self.partition_keys
        return tuple(self.parameters[f"{PARTITION_COLUMN}{at}"] for at in range(int(count)))

    @property
    def provider(self) -> str:
        """Spark's data source, in small letters; empty for a view, and for a table of Hive's."""
        return self.parameters.get(PROVIDER, "").lower()

    @property
    def last_ddl_time(self) -> int | None:
        """Seconds since the epoch, by the metastore's clock; None where it is not kept."""
        value = self.parameters.get("transient_lastDdlTime")
        return int(value) if value and value.isdecimal() else None

    @property
    def directory_name(self) -> str | None:
        """The last component of the location."""
        return self.location.rstrip("/").rsplit("/", 1)[-1] if self.location else None


@dataclass(frozen=True, slots=True)
class Expectation:
    """The precondition of a call: a parameter and the value that it must have (HIVE-26882)."""

    key: str
    value: str


@dataclass(frozen=True, slots=True)
class EntryChange:
    """One new state of an entry: the fields of ``staged`` under another name.

    Owner, the owner's type, creation time and privileges come from ``base``, where there is one.
    ``columns`` replace the staged ones in ``sd.cols``, which Hive and Trino read; Spark has its
    schema in the parameters. A server compares old and new columns by position, and has nothing to
    compare with an empty tuple. ``keeps_partition_keys`` leaves Hive the base's keys, which no
    server lets an alter change.
    """

    target: TableName
    staged: TableEntry
    base: TableEntry | None
    parameters: dict[str, str]
    columns: tuple[Column, ...] | None = None
    keeps_partition_keys: bool = False

    @classmethod
    def of(
        cls,
        entry: TableEntry,
        parameters: dict[str, str],
        columns: tuple[Column, ...] | None = None,
    ) -> "EntryChange":
        """The entry as it is, but for its parameters and, where they are given, its columns."""
        return cls(entry.name, entry, entry, parameters, columns)


@dataclass(frozen=True, slots=True)
class Partition:
    """One partition of a table; ``parameters`` are what is to be kept of it.

    ``values`` stand in the order of the table's partition keys, unescaped, a null as
    ``__HIVE_DEFAULT_PARTITION__``.
    """

    values: tuple[str, ...]
    location: str
    parameters: Mapping[str, str] = field(default_factory=dict, compare=False)


def values_in(partition_name: str) -> tuple[str, ...]:
    """The values in a name such as ``day=2026-11-21/path=a%2Fb``, which is its directory's, too.

    Hive and Spark escape single characters of ASCII, as in a URL.
    """
    return tuple(unquote(part.partition("=")[2]) for part in partition_name.split("/"))


@dataclass(frozen=True, slots=True)
class TableLock:
    """A lock as the server shows it; ``beaten_ms`` is the server's time of its last beat."""

    id: int
    owner: str
    beaten_ms: int


class MetastoreClient(Protocol):
    """A metastore. Every call raises MetastoreError, or RefusedError when it was refused."""

    def get_table(self, name: TableName) -> TableEntry | None:
        """The entry, or None when the metastore says that there is none."""

    def entries(self, names: Sequence[TableName]) -> tuple[TableEntry, ...]:
        """Those of these names that there are, all in one database, in any order."""

    def database_location(self, database: str) -> str | None:
        """The URI of the database's directory, or None when there is no such database."""

    def create_table(self, change: EntryChange) -> None:
        """Create the entry; EntryExistsError when it is there."""

    def alter_table(self, change: EntryChange, expected: Expectation | None) -> None:
        """Replace the whole entry in one call.

        Raises:
            EntryModifiedError: ``expected`` is not met.
            ColumnsRefusedError: the server compares ``sd.cols`` and refuses a type by position.
        """

    def rename_table(
        self, was: TableName, change: EntryChange, expected: Expectation | None
    ) -> None:
        """Replace the entry ``was`` by one of another name; EntryExistsError if the name is taken.

        The entry has to be external already: the data of a managed one would move.
        """

    def drop_entry(self, name: TableName) -> None:
        """Remove the entry and leave its data; no error when there is none."""

    def drop_column_statistics(self, name: TableName) -> None:
        """Remove what the metastore keeps of the columns' values; no error when it has none."""

    def databases(self) -> tuple[str, ...]:
        """The databases that this user may list."""

    def tables(self, database: str, prefix: str = "") -> tuple[TableName, ...]:
        """The tables and views whose name begins with ``prefix``; none without the database."""

    def tables_with(self, database: str, parameter: str, value: str) -> tuple[TableName, ...]:
        """The tables and views of which ``parameter`` is ``value``."""

    def scratch_entry(self, name: TableName) -> TableEntry:
        """A view of that name which is nowhere yet: an entry without a directory, to create."""

    def compares_and_swaps(self, entry: TableEntry, key: str) -> bool:
        """True if the server honours an Expectation, tried with a wrong one of a parameter.

        The entry stays as it is.
        """

    def partitions(self, name: TableName) -> tuple[Partition, ...]:
        """The values and the location of every partition; EntryMissingError without the table."""

    def add_partitions(self, table: TableEntry, partitions: Sequence[Partition]) -> None:
        """Add these partitions, with the table's columns and format; one that exists stays."""

    def alter_partitions(self, table: TableEntry, partitions: Sequence[Partition]) -> None:
        """Replace the partitions of the same values by these; RefusedError if one is missing."""

    def drop_partitions(self, name: TableName, partitions: Sequence[Partition]) -> None:
        """Remove the partitions of these values and leave their data; missing ones are no error."""


class TableLockClient(Protocol):
    """Exclusive locks, which some servers end when nobody beats them (``hive.txn.timeout``).

    Every call raises MetastoreError, or EntryMissingError for a lock that the server has ended.
    """

    def supports_locks(self) -> bool:
        """True if the server has its lock tables; tried on a scratch name and released again.

        A server without them answers "Internal error processing lock" or closes the connection:
        that is a "no". A server that can't be reached is an error.
        """

    def lock(self, name: TableName, owner: str) -> int:
        """Ask for the exclusive lock; the lock's id, whether it is granted yet or waits."""

    def is_granted(self, lock: int) -> bool:
        """True once the lock is held; it beats a waiting lock as well."""

    def locks_on(self, name: TableName) -> tuple[TableLock, ...]:
        """Every lock on the table, held or waited for."""

    def heartbeat(self, lock: int) -> None:
        """Keep a held lock alive; EntryMissingError when the server ended it."""

    def unlock(self, lock: int) -> None:
        """Release the lock or stop waiting; no error when it has ended."""
