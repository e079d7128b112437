"""Structs as the bytes of Thrift's binary protocol."""

from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.Thrift import TType
from thrift.transport.TTransport import TMemoryBuffer

from dbt.adapters.ctas_spark.staging.metastore.thrift import struct as thrift_struct
from dbt.adapters.ctas_spark.staging.metastore.thrift.struct import Struct


def packed(value: Struct) -> bytes:
    """A struct's bytes."""
    buffer = TMemoryBuffer()
    thrift_struct.write(TBinaryProtocol(buffer), TType.STRUCT, value)
    written: bytes = buffer.getvalue()
    return written


def unpacked(data: bytes) -> Struct:
    """The struct in these bytes."""
    value: Struct = thrift_struct.read(TBinaryProtocol(TMemoryBuffer(data)), TType.STRUCT)
    return value
