"""What ``begin`` saw of a table of files: the one thing that its commit is valid against."""

from dataclasses import dataclass, field

from ..clock import SECOND_MS
from ..context import TableName
from ..metastore.client import Expectation, MetastoreClient, TableEntry
from ..publish import messages
from ..publish.marker import COMMIT, FORMAT, MARKER_FORMAT, PREFIX, TARGET, Marker, order_of
from ..publish.version import Change

LAST_DDL_TIME = "transient_lastDdlTime"
COMMIT_BASE = "commit:"
"""How a base with our marker is written down; its commit id follows."""
ABSENT = "absent"

PARTITIONS = PREFIX + "partitions"
PARTITION_HOLDER = PREFIX + "partition_holder"
PARTITION_PROVIDER = "spark.sql.partitionProvider"
SCHEMA = "spark.sql.sources.schema"

SPARKS = "spark.sql.statistics."
TOTAL_SIZE, TOTAL_ROWS = f"{SPARKS}totalSize", f"{SPARKS}numRows"
COLUMN_STATISTICS = "COLUMN_STATS_ACCURATE"
OF_THE_METASTORE = frozenset({"numFiles", "totalSize", "numRows", "rawDataSize"})
NO_COMMIT = frozenset(
    {
        *(PARTITIONS, PARTITION_HOLDER, PARTITION_PROVIDER),
        *(LAST_DDL_TIME, "last_modified_time", "last_modified_by"),
        *(COLUMN_STATISTICS, *OF_THE_METASTORE, "numFilesErasureCoded"),
        *("DO_NOT_UPDATE_STATS", "STATS_GENERATED", "STATS_GENERATED_VIA_STATS_TASK"),
    }
)
"""What the bookkeeping of partitions, times and statistics change: no commit is only that."""
PREFIXES_OF_NO_COMMIT = (SPARKS, "impala.")


@dataclass(frozen=True, slots=True)
class FileBase:
    """The target's entry at one moment, or the fact that there was none.

    ``marker`` is our marker on it, parsed once, unless there is none or a foreign one.
    """

    entry: TableEntry | None
    marker: Marker | None = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "marker", Marker.of(self.entry))

    @property
    def exists(self) -> bool:
        return self.entry is not None

    @property
    def obstacle(self) -> str:
        """A view, or a table that leads to another format's metadata."""
        if self.entry is None:
            return ""
        if self.entry.is_view:
            return "a view"
        return "an Iceberg table" if _is_iceberg(self.entry) else ""

    @property
    def can_be_replaced(self) -> bool:
        """An entry that leads to Iceberg's metadata would still do so after the call."""
        return self.entry is None or not _is_iceberg(self.entry)

    @property
    def version(self) -> str | None:
        return self.marker.version if self.marker else None

    @property
    def level(self) -> str | None:
        return self.marker.level if self.marker else None

    @property
    def expectation(self) -> Expectation | None:
        """What a compare-and-swap against this base expects; None if nothing can be expected."""
        if self.marker is not None:
            return Expectation(COMMIT, self.marker.commit)
        if self.entry is not None and self.entry.last_ddl_time is not None:
            return Expectation(LAST_DDL_TIME, str(self.entry.last_ddl_time))
        return None

    def landed_ms(self, read_ms: int) -> int:
        """When our last publication had landed, to the second, by the metastore's own clock.

        It is the time that the server wrote into the entry with our call. An INSERT moves it on: a
        later time only keeps versions longer.

        Args:
            read_ms: when the entry was read, for a server that keeps no time.
        """
        seconds = self.entry.last_ddl_time if self.entry is not None else None
        order_ms = order_of(self.marker.commit) if self.marker is not None else 0
        return max(order_ms, read_ms if seconds is None else seconds * SECOND_MS)

    @property
    def managed_directory(self) -> str | None:
        """Where a user's managed table has its files; None if the base is no such table."""
        if self.entry is None or self.marker is not None or not self.entry.is_managed:
            return None
        return self.entry.location

    @property
    def table(self) -> TableEntry | None:
        """The entry, if it is a table's."""
        return None if self.entry is None or self.entry.is_view else self.entry

    def changes_keys(self, wanted: tuple[str, ...]) -> bool:
        """True if Hive's partition keys would change, which no metastore lets an alter do."""
        return self.table is not None and self.table.partition_keys != tuple(
            key.lower() for key in wanted
        )

    def __str__(self) -> str:
        if self.entry is None:
            return ABSENT
        if self.marker is not None:
            return f"{COMMIT_BASE}{self.marker.commit}"
        return f"ddl:{self.entry.last_ddl_time}:{self.entry.create_time}:{self.entry.location}"


def look(metastore: MetastoreClient, name: TableName) -> FileBase:
    """Read the target afresh.

    Raises:
        MetastoreError: it could not be read.
        NotSupportedError: a newer release has published it.
    """
    return checked(metastore, name, metastore.get_table(name))


def checked(metastore: MetastoreClient, name: TableName, entry: TableEntry | None) -> FileBase:
    """The target as it was just read; a marker that does not match its entry is read once more.

    Such a marker is a clone's, or half of a torn read: the server answers one ``get_table`` by
    several SELECTs. Raises like ``look``.
    """
    found = FileBase(entry)
    if entry is not None and COMMIT in entry.parameters and found.marker is None:
        found = FileBase(metastore.get_table(name))
    if found.entry is not None:
        _refuse_newer_format(found.entry)
    return found


def change_between(begun: FileBase, now: FileBase) -> Change:
    """What became of the target, by its entry: commit, location, type, schema, properties.

    Statistics, times and the bookkeeping of partitions do not count. Nor do rows: only the files
    show these (``data_files``).
    """
    if begun.entry is None:
        return Change.CREATED if now.exists else Change.NONE
    if now.entry is None:
        return Change.DROPPED
    if begun.entry == now.entry:
        return Change.NONE
    is_same = _identity(begun.entry, begun.marker) == _identity(now.entry, now.marker)
    return Change.MAINTAINED if is_same else Change.WRITTEN


def who_changed(begun: FileBase, now: FileBase) -> str:
    """The version that was committed, or that another program was there."""
    marker = now.marker
    if now.entry is None:
        return "it was dropped"
    if marker is None or (begun.marker is not None and marker.commit == begun.marker.commit):
        return f"its entry was altered by another program (base was {begun})"
    time = messages.moment(order_of(marker.commit))
    return f"version {marker.version} was committed at {time}"


def lies_in(location: str | None, version: str) -> bool:
    """Ids are compared: URIs have many spellings."""
    return location is not None and version in location.split("/")


def _is_iceberg(entry: TableEntry) -> bool:
    return entry.parameters.get("table_type", "").upper() == "ICEBERG"


def _identity(entry: TableEntry, marker: Marker | None) -> tuple[object, ...]:
    """What every commit and every ALTER changes, and no statistic does.

    A view has nothing else that shows another query than its time. Our own tables have their schema
    in the properties, and Hive's columns may follow the commit.
    """
    counted = {
        key: value
        for key, value in entry.parameters.items()
        if entry.is_view or not (key in NO_COMMIT or key.startswith(PREFIXES_OF_NO_COMMIT))
    }
    columns = () if marker else (entry.columns, entry.partition_keys)
    return entry.location, entry.table_type, entry.create_time, columns, counted


def _refuse_newer_format(entry: TableEntry) -> None:
    found = entry.parameters.get(FORMAT, "")
    is_own = entry.parameters.get(TARGET) == str(entry.name)
    if is_own and found.isdecimal() and int(found) > MARKER_FORMAT:
        raise messages.newer_marker(entry.name, int(found), MARKER_FORMAT)
