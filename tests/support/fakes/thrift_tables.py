"""Entries with fields of a Hive that does not exist yet."""

from thrift.Thrift import TType

from ctas_spark.context import TableName
from ctas_spark.metastore.client import EntryChange, TableEntry
from ctas_spark.metastore.messages import entry_of
from ctas_spark.wire import (
    Field,
    Struct,
    sequence,
    string,
    strings,
    struct,
)

NAME = TableName("shop", "orders")
RECORD = TableName("shop__ctas_spark", "orders__v2")
OWNER, CREATED, LAST_ACCESS, STORAGE, PARAMETERS, PRIVILEGES, OWNER_TYPE = 3, 4, 5, 7, 9, 13, 18
UNKNOWN = 4711


def table(owner: str, **parameters: str) -> Struct:
    """An entry with fields of a Hive that does not exist yet, at every depth."""
    new = struct(string(f"of {owner}"), sequence(TType.I64, 1, 2))
    serde = Struct({3: strings({"path": f"file:/w/{owner}"}), UNKNOWN: new})
    column = Struct({1: string("id"), 2: string("bigint"), UNKNOWN: new})
    storage = Struct(
        {
            1: sequence(TType.STRUCT, column),
            2: string("file:/placeholder"),
            7: Field(TType.STRUCT, serde),
            UNKNOWN: new,
        }
    )
    return Struct(
        {
            1: string("a name"),
            2: string("a database"),
            OWNER: string(owner),
            CREATED: Field(TType.I32, len(owner)),
            LAST_ACCESS: Field(TType.I32, 7),
            STORAGE: Field(TType.STRUCT, storage),
            8: sequence(TType.STRUCT, Struct({1: string("day"), 2: string("date")})),
            PARAMETERS: strings(parameters),
            12: string("EXTERNAL_TABLE"),
            PRIVILEGES: struct(strings({owner: "all"})),
            OWNER_TYPE: Field(TType.I32, len(owner)),
            UNKNOWN: new,
        }
    )


def entry(owner: str, name: TableName = NAME) -> TableEntry:
    """An entry as the client reads it."""
    return entry_of(name, table(owner))


CHANGE = EntryChange(NAME, entry("staged", RECORD), entry("base"), {"a": "b"})
