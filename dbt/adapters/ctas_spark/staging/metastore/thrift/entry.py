"""A table's entry and the struct in which a metastore sends it.

Source of the numbers: ``Table``, ``StorageDescriptor``, ``SerDeInfo`` and ``FieldSchema`` in Hive's
``hive_metastore.thrift``, the same from Hive 2.3 to 4.2.
"""

from enum import IntEnum

from thrift.Thrift import TType

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.metastore.client import VIEW, Column, EntryChange, TableEntry
from dbt.adapters.ctas_spark.staging.metastore.thrift.struct import (
    EMPTY,
    Field,
    Struct,
    sequence,
    string,
    strings,
    struct,
)


class Table(IntEnum):
    """The fields of ``Table`` that are read or replaced."""

    NAME = 1
    DATABASE = 2
    OWNER = 3
    CREATE_TIME = 4
    STORAGE = 7
    PARTITION_KEYS = 8
    PARAMETERS = 9
    VIEW_ORIGINAL = 10
    VIEW_EXPANDED = 11
    TYPE = 12
    PRIVILEGES = 13
    OWNER_TYPE = 18


class Storage(IntEnum):
    """The fields of ``StorageDescriptor`` that are read."""

    COLUMNS = 1
    LOCATION = 2
    SERDE = 7


OF_THE_BASE = (Table.OWNER, Table.OWNER_TYPE, Table.CREATE_TIME, Table.PRIVILEGES)
COLUMN_NAME, COLUMN_TYPE, COLUMN_COMMENT = 1, 2, 3
SERDE_PARAMETERS = 3


def entry_of(name: TableName, table: Struct) -> TableEntry:
    """The entry, with the whole struct as its ``raw``."""
    storage = table.struct(Table.STORAGE)
    columns = storage.structs(Storage.COLUMNS)
    path = storage.struct(Storage.SERDE).texts(SERDE_PARAMETERS).get("path")
    return TableEntry(
        name=name,
        table_type=table.text(Table.TYPE) or "",
        location=path or storage.text(Storage.LOCATION),
        columns=tuple((_name(one), one.text(COLUMN_TYPE) or "") for one in columns),
        partition_keys=tuple(map(_name, table.structs(Table.PARTITION_KEYS))),
        create_time=table.value(Table.CREATE_TIME) or 0,
        parameters=table.texts(Table.PARAMETERS),
        raw=table,
        comments={_name(one): text for one in columns if (text := one.text(COLUMN_COMMENT))},
    )


def changed(change: EntryChange) -> Struct:
    """The staged struct under the target's name, with what comes from the base."""
    staged = _struct(change.staged)
    fields: dict[int, Field | None] = {
        Table.NAME: string(change.target.table),
        Table.DATABASE: string(change.target.database),
        Table.PARAMETERS: strings(change.parameters),
        Table.STORAGE: _storage(change, staged.struct(Table.STORAGE)),
    }
    if change.base is not None:
        base = _struct(change.base)
        kept = (*OF_THE_BASE, Table.PARTITION_KEYS) if change.keeps_partition_keys else OF_THE_BASE
        fields |= {number: base.fields.get(number) for number in kept}
    return staged.replaced(fields)


def scratch_view(name: TableName) -> Struct:
    """A new entry without a directory."""
    storage: dict[int, Field] = {
        Storage.COLUMNS: sequence(TType.STRUCT),
        Storage.SERDE: Field(TType.STRUCT, EMPTY),
    }
    return Struct(
        {
            Table.NAME: string(name.table),
            Table.DATABASE: string(name.database),
            Table.STORAGE: Field(TType.STRUCT, Struct(storage)),
            Table.PARTITION_KEYS: sequence(TType.STRUCT),
            Table.VIEW_ORIGINAL: string("select 1"),
            Table.VIEW_EXPANDED: string("select 1"),
            Table.TYPE: string(VIEW),
        }
    )


def _storage(change: EntryChange, staged: Struct) -> Field:
    """The staged storage; its columns are those that the change asks for."""
    if change.columns is not None:
        columns = sequence(TType.STRUCT, *map(_column, change.columns))
        staged = staged.replaced({Storage.COLUMNS: columns})
    return Field(TType.STRUCT, staged)


def _column(column: Column) -> Struct:
    described: Struct = struct(*map(string, column)).value
    return described


def _name(column: Struct) -> str:
    return column.text(COLUMN_NAME) or ""


def _struct(entry: TableEntry) -> Struct:
    if not isinstance(entry.raw, Struct):
        raise TypeError(f"{entry.name} was read by another client")
    return entry.raw
