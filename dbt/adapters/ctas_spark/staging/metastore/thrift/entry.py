"""A table's entry and the struct in which a metastore sends it over Thrift.

Source of the numbers: ``Table``, ``StorageDescriptor``, ``SerDeInfo`` and ``FieldSchema`` in Hive's
``hive_metastore.thrift``, the same from Hive 2.3 to 4.2.
"""

from enum import IntEnum

from thrift.Thrift import TType

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.metastore.client import EntryChange
from dbt.adapters.ctas_spark.staging.metastore.entry import VIEW, TableEntry
from dbt.adapters.ctas_spark.staging.metastore.thrift.struct import (
    EMPTY,
    Field,
    Struct,
    sequence,
    string,
    strings,
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
COLUMN_NAME, COLUMN_TYPE = 1, 2
SERDE_PARAMETERS = 3


def entry_of(name: TableName, table: Struct) -> TableEntry:
    """The entry, with the whole struct as its ``raw``."""
    storage = table.struct(Table.STORAGE)
    path = storage.struct(Storage.SERDE).texts(SERDE_PARAMETERS).get("path")
    return TableEntry(
        name=name,
        table_type=table.text(Table.TYPE) or "",
        location=path or storage.text(Storage.LOCATION),
        columns=tuple(
            (column.text(COLUMN_NAME) or "", column.text(COLUMN_TYPE) or "")
            for column in storage.structs(Storage.COLUMNS)
        ),
        partition_keys=tuple(
            key.text(COLUMN_NAME) or "" for key in table.structs(Table.PARTITION_KEYS)
        ),
        create_time=table.value(Table.CREATE_TIME) or 0,
        parameters=table.texts(Table.PARAMETERS),
        raw=table,
    )


def changed(change: EntryChange) -> Struct:
    """The staged struct under the target's name, with the base's own fields."""
    table = _struct(change.staged).replaced(
        {
            Table.NAME: string(change.target.table),
            Table.DATABASE: string(change.target.database),
            Table.PARAMETERS: strings(change.parameters),
        }
    )
    if change.base is None:
        return table
    base = _struct(change.base)
    own: dict[int, Field | None] = {number: base.fields.get(number) for number in OF_THE_BASE}
    if change.keeps_columns:
        own[Table.STORAGE] = _with_columns(table, base)
    return table.replaced(own)


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


def _with_columns(table: Struct, base: Struct) -> Field:
    columns = base.struct(Table.STORAGE).fields.get(Storage.COLUMNS)
    storage = table.struct(Table.STORAGE).replaced({Storage.COLUMNS: columns})
    return Field(TType.STRUCT, storage)


def _struct(entry: TableEntry) -> Struct:
    if not isinstance(entry.raw, Struct):
        raise TypeError(f"{entry.name} was read by another client")
    return entry.raw
