"""Thrift without an IDL: what was read is written back, unknown fields included.

A generated stub skips every field that its IDL does not have, so a table that it reads and writes
loses what a newer metastore keeps. Here a struct is its fields by id, each with its wire type.
Strings stay bytes until they are asked for as text.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Protocol

from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.protocol.TProtocol import TProtocolException
from thrift.Thrift import TApplicationException, TException, TMessageType, TType
from thrift.transport.TTransport import TMemoryBuffer

NO_ANSWER = (TException, OSError, EOFError, UnicodeError)
ANOTHER_PROTOCOL = "speaks another protocol at this port, such as HTTP or TLS"
CLOSED = "the server closed the connection without an answer; if it never gives one, it"
UNCLEAR = {
    "TSocket read 0 bytes": CLOSED,
    "[Errno 104] Connection reset by peer": CLOSED,
    "[Errno 32] Broken pipe": CLOSED,
    "Length exceeded max allowed": "the server's answer can't be read; it probably",
}
"""What Thrift's errors say of servers that do not speak it, and what that means."""
THRIFT, HTTP, TLS = b"\x80\x01", (b"HTTP/", b"<"), b"\x15\x03"
"""How an answer begins: that of Thrift, that of HTTP (or a page alone), and an alert of TLS."""
_SCALARS = MappingProxyType(
    {
        TType.BOOL: "Bool",
        TType.BYTE: "Byte",
        TType.DOUBLE: "Double",
        TType.I16: "I16",
        TType.I32: "I32",
        TType.I64: "I64",
        TType.STRING: "Binary",
    }
)


@dataclass(frozen=True, slots=True)
class Field:
    """A value and its wire type, one of ``TType``."""

    type: int
    value: Any


@dataclass(frozen=True, slots=True)
class Sequence:
    """A list or a set; ``element`` is the wire type of its values."""

    element: int
    values: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Pairs:
    """A map in the order in which it came; ``key`` and ``element`` are wire types."""

    key: int
    element: int
    items: tuple[tuple[Any, Any], ...]


@dataclass(frozen=True, slots=True)
class Struct:
    """Fields by id. A field that is not there is None or empty."""

    fields: Mapping[int, Field]

    def value(self, number: int) -> Any:
        """A field's value as it was read."""
        field = self.fields.get(number)
        return field.value if field else None

    def text(self, number: int) -> str | None:
        """A string."""
        value = self.value(number)
        return None if value is None else _text(value)

    def texts(self, number: int) -> dict[str, str]:
        """A map of strings."""
        pairs = self.value(number)
        return {_text(key): _text(value) for key, value in pairs.items} if pairs else {}

    def struct(self, number: int) -> "Struct":
        """A struct."""
        return self.value(number) or EMPTY

    def structs(self, number: int) -> tuple["Struct", ...]:
        """A list of structs."""
        sequence = self.value(number)
        return sequence.values if sequence else ()

    def replaced(self, changes: Mapping[int, Field | None]) -> "Struct":
        """The same struct but for these fields; None takes a field away."""
        merged = {**self.fields, **changes}
        return Struct({number: field for number, field in merged.items() if field is not None})


EMPTY = Struct({})


class Connection(Protocol):
    """A way to a server for one thread; every failure of it is one of ``NO_ANSWER``."""

    @property
    def is_open(self) -> bool:
        """False once it was closed, or after a call that did not end with an answer."""

    def call(self, method: str, arguments: Struct) -> Struct:
        """The method's result: field 0 is its success, every other field a declared exception."""

    def close(self) -> None:
        """Close it; no error when it is closed already."""


def string(value: str) -> Field:
    """A string field."""
    return Field(TType.STRING, _bytes(value))


def boolean(value: bool) -> Field:  # noqa: FBT001 (it is the value)
    """A bool field."""
    return Field(TType.BOOL, value)


def strings(values: Mapping[str, str]) -> Field:
    """A map of strings."""
    items = tuple((_bytes(key), _bytes(value)) for key, value in values.items())
    return Field(TType.MAP, Pairs(TType.STRING, TType.STRING, items))


def words(*values: str) -> Field:
    """A list of strings."""
    return sequence(TType.STRING, *map(_bytes, values))


def words_of(value: Sequence | None) -> tuple[str, ...]:
    """The strings of a list."""
    return tuple(map(_text, value.values)) if value else ()


def sequence(element: int, *values: Any) -> Field:
    """A list whose values have the wire type ``element``."""
    return Field(TType.LIST, Sequence(element, values))


def struct(*fields: Field | None) -> Field:
    """A struct with the fields 1, 2 and so on; None leaves one out."""
    numbered = enumerate(fields, start=1)
    return Field(TType.STRUCT, Struct({number: one for number, one in numbered if one is not None}))


def ask(protocol: Any, method: str, arguments: Struct) -> None:
    """Send a call's message."""
    protocol.writeMessageBegin(method, TMessageType.CALL, 0)
    write(protocol, TType.STRUCT, arguments)
    protocol.trans.flush()


def message(method: str, arguments: Struct) -> bytes:
    """The bytes of that message, in the binary protocol."""
    request = TMemoryBuffer()
    ask(TBinaryProtocol(request), method, arguments)
    return bytes(request.getvalue())


def answer(protocol: Any, method: str) -> Struct:
    """Receive the result of that call; TApplicationException where the server failed."""
    name, kind, _ = protocol.readMessageBegin()
    if kind == TMessageType.EXCEPTION:
        failure = TApplicationException()
        failure.read(protocol)
        raise failure
    if (kind, name) != (TMessageType.REPLY, method):
        raise _invalid(f"an answer of kind {kind} to {name!r}")
    result: Struct = read(protocol, TType.STRUCT)
    return result


def text_of(error: BaseException) -> str:
    """An error with its cause, which the words of Thrift's own errors leave out."""
    inner = getattr(error, "inner", None)
    said = f"{error} ({inner})" if inner else str(error) or type(error).__name__
    return with_likely_cause(said)


def with_likely_cause(text: str) -> str:
    """The text of an error of Thrift's, with what is likely behind it where it does not say."""
    for words_of_thrift, meaning in UNCLEAR.items():
        text = text.replace(words_of_thrift, f"{meaning} {ANOTHER_PROTOCOL}")
    return text


def other_protocol(answer: bytes) -> str:
    """What a server does instead of speaking Thrift, by how its answer begins; else empty."""
    if answer.startswith(THRIFT):
        return ""
    if answer.startswith(HTTP):
        return "speaks HTTP at this port, and not Thrift"
    if answer.startswith(TLS):
        return "speaks TLS at this port"
    did = "gave another answer" if answer else "closed the connection"
    return f"{did}; it probably {ANOTHER_PROTOCOL}"


def read(protocol: Any, kind: int) -> Any:
    """The next value of wire type ``kind``.

    Raises:
        TProtocolException: the type is unknown; no value is skipped.
    """
    if kind in _SCALARS:
        return getattr(protocol, f"read{_SCALARS[kind]}")()
    if kind == TType.STRUCT:
        return _read_struct(protocol)
    if kind in (TType.LIST, TType.SET):
        element, size = protocol.readListBegin()
        return Sequence(element, tuple(read(protocol, element) for _ in range(size)))
    if kind == TType.MAP:
        key, element, size = protocol.readMapBegin()
        items = tuple((read(protocol, key), read(protocol, element)) for _ in range(size))
        return Pairs(key, element, items)
    raise _invalid(f"a value of the unknown Thrift type {kind}")


def write(protocol: Any, kind: int, value: Any) -> None:
    """Write a value of wire type ``kind`` as ``read`` returned it."""
    if kind in _SCALARS:
        getattr(protocol, f"write{_SCALARS[kind]}")(value)
    elif kind == TType.STRUCT:
        _write_struct(protocol, value)
    elif kind in (TType.LIST, TType.SET):
        protocol.writeListBegin(value.element, len(value.values))
        for one in value.values:
            write(protocol, value.element, one)
    elif kind == TType.MAP:
        protocol.writeMapBegin(value.key, value.element, len(value.items))
        for key, one in value.items:
            write(protocol, value.key, key)
            write(protocol, value.element, one)
    else:
        raise _invalid(f"a value of the unknown Thrift type {kind}")


def _read_struct(protocol: Any) -> Struct:
    fields: dict[int, Field] = {}
    while True:
        _, kind, number = protocol.readFieldBegin()
        if kind == TType.STOP:
            return Struct(fields)
        fields[number] = Field(kind, read(protocol, kind))


def _write_struct(protocol: Any, value: Struct) -> None:
    for number, field in value.fields.items():
        protocol.writeFieldBegin("", field.type, number)
        write(protocol, field.type, field.value)
    protocol.writeFieldStop()


def _text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")


def _bytes(value: str) -> bytes:
    return value.encode("utf-8", "surrogateescape")


def _invalid(text: str) -> TProtocolException:
    return TProtocolException(TProtocolException.INVALID_DATA, text)
