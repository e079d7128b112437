"""Structs without an IDL."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pymetastore.hive_metastore import ttypes
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.protocol.TProtocol import TProtocolException
from thrift.Thrift import TType
from thrift.transport.TTransport import TMemoryBuffer

from ctas_spark import wire
from ctas_spark.wire import (
    Field,
    Pairs,
    Sequence,
    Struct,
    string,
    strings,
)

SCALARS = {
    TType.BOOL: st.booleans(),
    TType.BYTE: st.integers(-(2**7), 2**7 - 1),
    TType.DOUBLE: st.floats(allow_nan=False),
    TType.I16: st.integers(-(2**15), 2**15 - 1),
    TType.I32: st.integers(-(2**31), 2**31 - 1),
    TType.I64: st.integers(-(2**63), 2**63 - 1),
    TType.STRING: st.binary(max_size=40),
}
KINDS = st.sampled_from([*SCALARS, TType.STRUCT, TType.LIST, TType.SET, TType.MAP])


def values(kind: int, depth: int) -> st.SearchStrategy[object]:
    """Values of one wire type."""
    if kind in SCALARS:
        return SCALARS[kind]
    if kind == TType.STRUCT:
        return structs(depth)
    element = KINDS if depth else st.sampled_from(list(SCALARS))
    return st.tuples(element, element).flatmap(lambda types: containers(kind, types, depth - 1))


def containers(kind: int, types: tuple[int, int], depth: int) -> st.SearchStrategy[object]:
    """Lists, sets and maps of these types."""
    key, element = types
    if kind == TType.MAP:
        pairs = st.tuples(values(key, depth), values(element, depth))
        return st.lists(pairs, max_size=3).map(lambda items: Pairs(key, element, tuple(items)))
    return st.lists(values(element, depth), max_size=3).map(
        lambda items: Sequence(element, tuple(items))
    )


def structs(depth: int) -> st.SearchStrategy[Struct]:
    """Structs with any field ids, nested at most ``depth`` times."""
    kinds = KINDS if depth > 0 else st.sampled_from(list(SCALARS))
    fields = kinds.flatmap(lambda kind: values(kind, depth - 1).map(lambda of: Field(kind, of)))
    return st.dictionaries(st.integers(1, 2**15 - 1), fields, max_size=5).map(Struct)


def sent(value: Struct) -> bytes:
    """The bytes of a struct."""
    buffer = TMemoryBuffer()
    wire.write(TBinaryProtocol(buffer), TType.STRUCT, value)
    content: bytes = buffer.getvalue()
    return content


def received(content: bytes) -> Struct:
    """The struct in these bytes."""
    found: Struct = wire.read(TBinaryProtocol(TMemoryBuffer(content)), TType.STRUCT)
    return found


@given(structs(depth=3))
def test_what_is_written_is_read_back(value: Struct) -> None:
    """Any struct, of fields of any id and type, is read as it was written."""
    assert received(sent(value)) == value


@given(structs(depth=3), structs(depth=1))
def test_every_other_field_survives_a_replacement(value: Struct, other: Struct) -> None:
    """Replacing fields of a struct that was read changes these and no others."""
    changed = received(sent(received(sent(value)).replaced(other.fields)))
    assert changed.fields == {**value.fields, **other.fields}


def test_the_bytes_of_generated_code_are_kept() -> None:
    """What Hive's generated code wrote is written again byte by byte, empty containers too."""
    column = ttypes.FieldSchema("id", "bigint", "größer als 0")
    serde = ttypes.SerDeInfo("s", "lib", {"path": "file:/w"}, None, None, None, None)
    skewed = ttypes.SkewedInfo(["id"], [["1"], ["2"]], {("1",): "file:/w/1"})
    storage = ttypes.StorageDescriptor(
        [column], "file:/w", None, "", False, -1, serde, ["id"], [ttypes.Order("id", 1)], {}, skewed
    )
    grant = ttypes.PrivilegeGrantInfo("SELECT", 7, "root", 1, True)
    privileges = ttypes.PrincipalPrivilegeSet({"ann": [grant]}, {}, None)
    table = ttypes.Table("t", "d", "ann", 5, 0, 0, storage, [], {"a": "b"}, privileges=privileges)
    buffer = TMemoryBuffer()
    table.write(TBinaryProtocol(buffer))
    assert sent(received(buffer.getvalue())) == buffer.getvalue()


@pytest.mark.parametrize(
    "text", ["", "größer", "日本語 😀", 'it\'s "so"', "two\nlines\t\\", "x" * 4000]
)
def test_text_is_read_as_it_was_written(text: str) -> None:
    """Text of any alphabet comes back from a field and from a map."""
    value = received(sent(Struct({1: string(text), 2: strings({text: text})})))
    assert (value.text(1), value.texts(2)) == (text, {text: text})


def test_bytes_that_are_no_text_survive() -> None:
    """A map whose bytes are not UTF-8 can be read and written without a change."""
    pairs = Pairs(TType.STRING, TType.STRING, ((b"key", b"\xff\xfe"),))
    value = Struct({1: Field(TType.MAP, pairs)})
    assert value.replaced({1: strings(value.texts(1))}) == value


def test_what_is_not_there_is_nothing() -> None:
    """A field that was not sent is None or empty, by its kind."""
    value = received(sent(Struct({})))
    assert (value.value(1), value.text(1)) == (None, None)
    assert (value.texts(1), value.structs(1)) == ({}, ())
    assert value.struct(1).struct(2).text(3) is None


def test_a_field_is_taken_away_by_none() -> None:
    """A field that is replaced by None is no longer sent."""
    value = Struct({1: string("a"), 2: string("b")})
    assert received(sent(value.replaced({1: None}))).fields == {2: string("b")}


def test_not_a_number_is_kept() -> None:
    """A double that equals nothing is still sent on."""
    value = received(sent(Struct({1: Field(TType.DOUBLE, math.nan)})))
    assert math.isnan(value.value(1))


@pytest.mark.parametrize("kind", [1, 5, 99])
def test_a_type_of_no_known_length_is_an_error(kind: int) -> None:
    """A value whose type nobody knows is refused, and never skipped."""
    with pytest.raises(TProtocolException, match=f"unknown Thrift type {kind}"):
        received(bytes([kind, 0, 1, 0]))
    with pytest.raises(TProtocolException, match=f"unknown Thrift type {kind}"):
        sent(Struct({1: Field(kind, b"")}))


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (b"\x80\x01\x00\x02", ""),
        (b"HTTP/1.1 400", "speaks HTTP at this port, and not Thrift"),
        (b"\x15\x03\x01", "speaks TLS at this port"),
        (b"SSH-2.0", "gave another answer; it probably speaks another protocol at this port"),
        (b"", "closed the connection; it probably speaks another protocol at this port"),
    ],
)
def test_a_server_of_another_protocol_is_recognized_by_its_answer(answer: bytes, said: str) -> None:
    """HTTP and TLS by name, and anything else as what it probably is."""
    assert wire.other_protocol(answer).startswith(said)
    assert bool(wire.other_protocol(answer)) == bool(said)
