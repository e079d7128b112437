"""A metastore in memory: compare-and-swap as in Hive 2.3.10, and faults to order."""

from collections import UserDict, defaultdict
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace

from ctas_spark.context import TableName
from ctas_spark.errors import (
    ColumnsRefusedError,
    EntryExistsError,
    EntryMissingError,
    EntryModifiedError,
    MetastoreError,
    RefusedError,
)
from ctas_spark.metastore.client import (
    VIEW,
    Column,
    EntryChange,
    Expectation,
    TableEntry,
)
from fakes.partitions import FakePartitions
from fakes.table_locks import FakeLocks

LAST_DDL_TIME = "transient_lastDdlTime"
Made = Callable[[str], AbstractContextManager[None]]


def entry(name: TableName, **changes: object) -> TableEntry:
    """An entry of a plain external table."""
    plain = TableEntry(
        name=name,
        table_type="EXTERNAL_TABLE",
        location=f"file:/warehouse/{name.database}.db/{name.table}",
        columns=(("id", "bigint"),),
        partition_keys=(),
        create_time=1_000,
        parameters={"transient_lastDdlTime": "1000"},
        raw=None,
    )
    return replace(plain, **changes)  # type: ignore[arg-type]


class Tables(UserDict[TableName, TableEntry]):
    """The entries by name; called, they are the protocol's ``tables``."""

    def __init__(self, made: Made) -> None:
        super().__init__()
        self._made = made
        self._inside: defaultdict[str, dict[TableName, None]] = defaultdict(dict)

    def __setitem__(self, name: TableName, found: TableEntry) -> None:
        super().__setitem__(name, found)
        self._inside[name.database][name] = None

    def __delitem__(self, name: TableName) -> None:
        super().__delitem__(name)
        del self._inside[name.database][name]

    def __call__(self, database: str, prefix: str = "") -> tuple[TableName, ...]:
        with self._made("tables"):
            return tuple(one for one in self.inside(database) if one.table.startswith(prefix))

    def inside(self, database: str) -> tuple[TableName, ...]:
        """Those of one database: a metastore has an index of them."""
        return tuple(self._inside[database])


class Databases(dict[str, str]):
    """The databases' locations by name; called, they are the protocol's ``databases``."""

    def __init__(self, made: Made, **locations: str) -> None:
        super().__init__(locations)
        self._made = made

    def __call__(self) -> tuple[str, ...]:
        with self._made("databases"):
            return tuple(self)


class FakeMetastore(FakePartitions, FakeLocks):
    """All three protocols; ``column_statistics`` has the tables that have some.

    ``read_together`` are the names that ``entries`` was asked for.

    With ``compares_columns`` it refuses a column's new type by position, as servers do by default.
    ``seconds`` is its clock: like a server it notes when an entry was changed, if the client does
    not say it.
    """

    def __init__(self, seconds: Callable[[], int] = lambda: 1_000) -> None:
        super().__init__()
        self._seconds = seconds
        self.tables: Tables = Tables(self.made)
        self.databases = Databases(
            self.made, shop="file:/warehouse/shop.db", shop__ctas_spark="file:/warehouse/s"
        )
        self.column_statistics: set[TableName] = set()
        self.read_together: list[TableName] = []
        self.compares = True
        self.compares_columns = False

    def get_table(self, name: TableName) -> TableEntry | None:
        with self.made("get_table"):
            return self.tables.get(name)

    def entries(self, names: Sequence[TableName]) -> tuple[TableEntry, ...]:
        """No call for no names."""
        if not names:
            return ()
        with self.made("entries"):
            self.read_together += names
            return tuple(self.tables[name] for name in names if name in self.tables)

    def database_location(self, database: str) -> str | None:
        with self.made("database_location"):
            return self.databases.get(database)

    def create_table(self, change: EntryChange) -> None:
        with self.made("create_table"):
            change.parameters.setdefault(LAST_DDL_TIME, str(self._seconds()))
            self._refuse_taken(change.target)
            self.tables[change.target] = _changed(change)

    def alter_table(self, change: EntryChange, expected: Expectation | None) -> None:
        with self.made("alter_table"):
            change.parameters.setdefault(LAST_DDL_TIME, str(self._seconds()))
            self._compare(change.target, expected)
            self.tables[change.target] = self._accepted(change.target, change)

    def rename_table(
        self, was: TableName, change: EntryChange, expected: Expectation | None
    ) -> None:
        with self.made("rename_table"):
            self._compare(was, expected)
            self._refuse_taken(change.target)
            self.tables[change.target] = self._accepted(was, change)
            self.kept[change.target] = self.kept.get(was, {})
            self._forget(was)

    def drop_entry(self, name: TableName) -> None:
        with self.made("drop_entry"):
            self._forget(name)

    def drop_column_statistics(self, name: TableName) -> None:
        with self.made("drop_column_statistics"):
            self.column_statistics.discard(name)

    def tables_with(self, database: str, parameter: str, value: str) -> tuple[TableName, ...]:
        with self.made("tables_with"):
            return tuple(
                name
                for name in self.tables.inside(database)
                if self.tables[name].parameters.get(parameter) == value
            )

    def scratch_entry(self, name: TableName) -> TableEntry:
        return entry(name, table_type=VIEW, location=None, parameters={})

    def compares_and_swaps(self, entry: TableEntry, key: str) -> bool:
        with self.made("probe"):
            try:
                self._compare(entry.name, Expectation(key, "another"))
            except EntryModifiedError:
                return True
            return False

    def _compare(self, name: TableName, expected: Expectation | None) -> None:
        current = self.tables.get(name)
        if current is None:
            raise EntryMissingError(f"{name} is missing")
        if self.compares and expected and current.parameters.get(expected.key) != expected.value:
            raise EntryModifiedError(f"{name} was modified")

    def _accepted(self, was: TableName, change: EntryChange) -> TableEntry:
        """What the entry becomes, if a server takes it in an alter."""
        old, new = self.tables[was], _changed(change)
        if old.is_view:
            return new
        if old.partition_keys != new.partition_keys:
            raise RefusedError("partition keys can not be changed.")
        if self.compares_columns and any(map(_is_refused, old.columns, new.columns)):
            raise ColumnsRefusedError("types incompatible with the existing columns")
        return new

    def _refuse_taken(self, name: TableName) -> None:
        if name in self.tables:
            raise EntryExistsError(f"{name} exists")

    def _forget(self, name: TableName) -> None:
        self.tables.pop(name, None)
        self.kept.pop(name, None)
        self.column_statistics.discard(name)


def _changed(change: EntryChange) -> TableEntry:
    staged, base = change.staged, change.base
    keys = base if change.keeps_partition_keys else None
    return replace(
        staged,
        name=change.target,
        columns=tuple((name, kind) for name, kind, *_ in _columns(change)),
        comments={name: comment[0] for name, _, *comment in _columns(change) if comment},
        partition_keys=(keys or staged).partition_keys,
        create_time=(base or staged).create_time,
        parameters=dict(change.parameters),
    )


def _is_refused(old: tuple[str, str], new: tuple[str, str]) -> bool:
    """A type that can't be read as the other one; the real rules know more types."""
    return new[1] not in (old[1], "string")


def _columns(change: EntryChange) -> tuple[Column, ...]:
    return change.staged.described_columns if change.columns is None else change.columns


def losing_the_answer(call: str) -> Callable[[str], None]:
    """A fault: the call had its effect, and its answer never came."""

    def fault(made: str) -> None:
        if made == call:
            raise MetastoreError(f"connection lost during {call}")

    return fault
