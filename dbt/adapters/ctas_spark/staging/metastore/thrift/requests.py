"""What a metastore is sent beside tables: preconditions, partitions and locks, as structs.

Source of the numbers: ``EnvironmentContext``, ``Partition``, ``AddPartitionsRequest``,
``DropPartitionsRequest``, ``LockRequest`` and ``ShowLocksResponseElement`` in Hive's
``hive_metastore.thrift``, the same from Hive 2.3 to 4.2.
"""

import socket
from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import TypeVar

from thrift.Thrift import TType

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.metastore.client import (
    AGENT,
    Expectation,
    Partition,
    TableLock,
)
from dbt.adapters.ctas_spark.staging.metastore.thrift.entry import Storage
from dbt.adapters.ctas_spark.staging.metastore.thrift.struct import (
    Field,
    Struct,
    boolean,
    integer,
    sequence,
    string,
    strings,
    struct,
    words,
)

T = TypeVar("T")
BATCH = 500
"""Partitions in one call: each repeats all columns, and servers limit a message to 100 MB."""
EXPECTED_KEY = "expected_parameter_key"
EXPECTED_VALUE = "expected_parameter_value"
NO_STATISTICS = {"DO_NOT_UPDATE_STATS": "true"}
EXCLUSIVE, OF_A_TABLE, WITHOUT_TRANSACTION = 3, 2, 6
ACQUIRED = 1


class Part(IntEnum):
    """The fields of ``Partition`` that are read or replaced."""

    VALUES = 1
    DATABASE = 2
    TABLE = 3
    STORAGE = 6


class Adding(IntEnum):
    """The fields of ``AddPartitionsRequest`` that are set."""

    DATABASE = 1
    TABLE = 2
    PARTITIONS = 3
    IF_NOT_EXISTS = 4
    NEED_RESULT = 5


class Dropping(IntEnum):
    """The fields of ``DropPartitionsRequest`` that are set."""

    DATABASE = 1
    TABLE = 2
    PARTITIONS = 3
    DELETE_DATA = 4
    IF_EXISTS = 5
    NEED_RESULT = 8


class Component(IntEnum):
    """The fields of ``LockComponent`` that are set."""

    TYPE = 1
    LEVEL = 2
    DATABASE = 3
    TABLE = 4
    OPERATION = 6


class Locking(IntEnum):
    """The fields of ``LockRequest`` that are set."""

    COMPONENTS = 1
    USER = 3
    HOST = 4
    AGENT = 5


class Lock(IntEnum):
    """The fields of ``LockResponse`` (the first two) and of ``ShowLocksResponseElement``."""

    ID = 1
    STATE = 2
    BEATEN = 8
    USER = 10


def environment(expected: Expectation | None = None) -> Field:
    """The environment context of a change: its precondition, and no counting of files."""
    if expected is None:
        return struct(strings(NO_STATISTICS))
    condition = {EXPECTED_KEY: expected.key, EXPECTED_VALUE: expected.value}
    return struct(strings({**NO_STATISTICS, **condition}))


def partition_of(part: Struct) -> Partition:
    """The partition, with the whole struct as its ``raw``."""
    location = part.struct(Part.STORAGE).text(Storage.LOCATION)
    return Partition(part.words(Part.VALUES), location or "", part)


def addition(name: TableName, partitions: Sequence[Partition]) -> Field:
    """The request that adds copies of these partitions where they are missing."""
    parts = (_moved(one, name) for one in partitions)
    request: dict[int, Field] = {
        Adding.DATABASE: string(name.database),
        Adding.TABLE: string(name.table),
        Adding.PARTITIONS: sequence(TType.STRUCT, *parts),
        Adding.IF_NOT_EXISTS: boolean(True),
        Adding.NEED_RESULT: boolean(False),
    }
    return Field(TType.STRUCT, Struct(request))


def dropping(name: TableName, names: Sequence[str]) -> Field:
    """The request that drops the partitions of these names and leaves their data."""
    request: dict[int, Field] = {
        Dropping.DATABASE: string(name.database),
        Dropping.TABLE: string(name.table),
        Dropping.PARTITIONS: struct(words(*names)),
        Dropping.DELETE_DATA: boolean(False),
        Dropping.IF_EXISTS: boolean(True),
        Dropping.NEED_RESULT: boolean(False),
    }
    return Field(TType.STRUCT, Struct(request))


def locking(name: TableName, owner: str) -> Field:
    """The request for an exclusive lock on a table."""
    component: dict[int, Field] = {
        Component.TYPE: integer(EXCLUSIVE),
        Component.LEVEL: integer(OF_A_TABLE),
        Component.DATABASE: string(name.database),
        Component.TABLE: string(name.table),
        Component.OPERATION: integer(WITHOUT_TRANSACTION),
    }
    request: dict[int, Field] = {
        Locking.COMPONENTS: sequence(TType.STRUCT, Struct(component)),
        Locking.USER: string(owner),
        Locking.HOST: string(socket.gethostname()),
        Locking.AGENT: string(AGENT),
    }
    return Field(TType.STRUCT, Struct(request))


def shown(lock: Struct) -> TableLock:
    """A lock as the server lists it."""
    return TableLock(lock.value(Lock.ID), lock.text(Lock.USER) or "", lock.value(Lock.BEATEN) or 0)


def batches(all_of_them: Sequence[T]) -> Iterator[Sequence[T]]:
    """The same in pieces for one call each."""
    for start in range(0, len(all_of_them), BATCH):
        yield all_of_them[start : start + BATCH]


def _moved(partition: Partition, name: TableName) -> Struct:
    if not isinstance(partition.raw, Struct):
        raise TypeError(f"a partition for {name} was read by another client")
    return partition.raw.replaced(
        {Part.DATABASE: string(name.database), Part.TABLE: string(name.table)}
    )
