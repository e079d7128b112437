"""A partition and the struct in which a metastore sends it over Thrift.

Source of the numbers: ``Partition``, ``AddPartitionsRequest`` and ``DropPartitionsRequest`` in
Hive's ``hive_metastore.thrift``, the same from Hive 2.3 to 4.2.
"""

from collections.abc import Iterator, Sequence
from enum import IntEnum
from typing import TypeVar

from thrift.Thrift import TType

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.metastore.partitions import Partition
from dbt.adapters.ctas_spark.staging.metastore.thrift.entry import Storage
from dbt.adapters.ctas_spark.staging.metastore.thrift.struct import (
    Struct,
    boolean,
    sequence,
    string,
    struct,
    words,
)

T = TypeVar("T")
BATCH = 500
"""Partitions in one call: each repeats all columns, and servers limit a message to 100 MB."""
OF_THE_REQUEST = 3


class Part(IntEnum):
    """The fields of ``Partition`` that are read or replaced."""

    VALUES = 1
    DATABASE = 2
    TABLE = 3
    STORAGE = 6


class Dropping(IntEnum):
    """The fields of ``DropPartitionsRequest`` that are set."""

    DATABASE = 1
    TABLE = 2
    PARTITIONS = 3
    DELETE_DATA = 4
    IF_EXISTS = 5
    NEED_RESULT = 8


def partition_of(part: Struct) -> Partition:
    """The partition, with the whole struct as its ``raw``."""
    location = part.struct(Part.STORAGE).text(Storage.LOCATION)
    return Partition(part.words(Part.VALUES), location or "", part)


def addition(name: TableName, partitions: Sequence[Partition]) -> Struct:
    """The request that adds copies of these partitions where they are missing."""
    return Struct(
        {
            1: string(name.database),
            2: string(name.table),
            OF_THE_REQUEST: sequence(TType.STRUCT, *(_moved(one, name) for one in partitions)),
            4: boolean(True),  # if they do not exist
            5: boolean(False),  # without a result
        }
    )


def dropping(name: TableName, names: Sequence[str]) -> Struct:
    """The request that drops the partitions of these names and leaves their data."""
    return Struct(
        {
            Dropping.DATABASE: string(name.database),
            Dropping.TABLE: string(name.table),
            Dropping.PARTITIONS: struct(words(*names)),
            Dropping.DELETE_DATA: boolean(False),
            Dropping.IF_EXISTS: boolean(True),
            Dropping.NEED_RESULT: boolean(False),
        }
    )


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
