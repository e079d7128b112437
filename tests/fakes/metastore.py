"""A metastore in memory: compare-and-swap as in Hive 2.3.10, and faults to order."""

from collections.abc import Callable
from dataclasses import replace

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import (
    EntryExistsError,
    EntryMissingError,
    EntryModifiedError,
    MetastoreError,
)
from dbt.adapters.ctas_spark.staging.metastore.client import EntryChange, Expectation
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry


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


class FakeMetastore:
    """``before`` and ``after`` are called with the name of each call, and may raise."""

    def __init__(self) -> None:
        self.tables: dict[TableName, TableEntry] = {}
        self.databases = {
            "shop": "file:/warehouse/shop.db",
            "shop__ctas_spark": "file:/warehouse/s",
        }
        self.calls: list[str] = []
        self.compares = True
        self.before: Callable[[str], None] = lambda _call: None
        self.after: Callable[[str], None] = lambda _call: None

    def get_table(self, name: TableName) -> TableEntry | None:
        self._enter("get_table")
        return self.tables.get(name)

    def database_location(self, database: str) -> str | None:
        self._enter("database_location")
        return self.databases.get(database)

    def create_table(self, change: EntryChange) -> None:
        self._enter("create_table")
        if change.target in self.tables:
            raise EntryExistsError(f"{change.target} exists")
        self.tables[change.target] = self._changed(change)
        self.after("create_table")

    def alter_table(self, change: EntryChange, expected: Expectation | None) -> None:
        self._enter("alter_table")
        current = self.tables.get(change.target)
        if current is None:
            raise EntryMissingError(f"{change.target} is missing")
        if self.compares and expected and current.parameters.get(expected.key) != expected.value:
            raise EntryModifiedError(f"{change.target} was modified")
        self.tables[change.target] = self._changed(change)
        self.after("alter_table")

    def drop_entry(self, name: TableName) -> None:
        self._enter("drop_entry")
        self.tables.pop(name, None)

    def compares_and_swaps(self, database: str) -> bool:
        self._enter(f"probe in {database}")
        return self.compares

    def _enter(self, call: str) -> None:
        self.calls.append(call)
        self.before(call)

    def _changed(self, change: EntryChange) -> TableEntry:
        own = change.base or change.staged
        return replace(
            change.staged,
            name=change.target,
            create_time=own.create_time,
            parameters=dict(change.parameters),
        )


def losing_the_answer(call: str) -> Callable[[str], None]:
    """A fault: the call had its effect, and its answer never came."""

    def fault(made: str) -> None:
        if made == call:
            raise MetastoreError(f"connection lost during {call}")

    return fault
