"""What a statement over HiveServer2's protocol returns: rows of Python's values, or an error."""

import re
import struct
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from types import MappingProxyType
from typing import Any

from pyspark.errors import AnalysisException, PySparkException
from pyspark.sql import Row
from pyspark.sql.types import DataType, StructField, StructType

from ...errors import SparkEndedError

WRAPPED = re.compile(r"^\*?(?:[\w.$]+\.)?HiveSQLException: ?(?:Error running query: )?")
NAMED = re.compile(r"\[([A-Z][A-Z0-9_]*(?:\.[A-Z0-9_]+)*)\] ?")
CLASS = re.compile(r"(?:\[[A-Z0-9_.]+\] )?([a-z][\w.$]*\.[\w$]+): ?")
ANALYSIS = ("AnalysisException", "ParseException")
ENDED = "OPERATION_CANCELED"
"""Spark Connect's condition for the same."""
INEXACT = ("array", "map", "struct", "timestamp")
"""Types that the protocol does not tell exactly."""


UNKNOWN_HANDLES = ("Invalid SessionHandle", "Invalid OperationHandle")
"""What a server says of a session or a statement that it does not know."""


class ServerError(PySparkException):
    """The server's words; they begin with Java's class where PySpark has no class for the error."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__(text)
        self._text = text
        self._name = name

    def __str__(self) -> str:
        return self._text

    def getCondition(self) -> str:  # noqa: N802 (PySpark's)
        """Spark's name for the error; empty if it has none."""
        return self._name

    getErrorClass = getCondition  # noqa: N815 (PySpark 3.5's name)


class RefusedStatementError(ServerError, AnalysisException):
    """The statement was refused before anything of it ran."""


class LostAnswerError(ConnectionError):
    """There is no answer: the server may have done what it was asked, or not."""


class UnknownHandleError(LostAnswerError):
    """The server does not know the session or the statement: it is another one, or they are gone.

    It did nothing, and can't say what became of the statement.
    """


class NoLineError(LostAnswerError):
    """Nothing was asked: there is no connection.

    ``may_pass`` if another attempt may find the server there.
    """

    def __init__(self, what: str, *, may_pass: bool) -> None:
        super().__init__(what)
        self.may_pass = may_pass


def failed(said: str) -> ServerError:
    """The error of a statement, from the text of its status: Java's words, causes and frames."""
    text = WRAPPED.sub("", said.lstrip("*"), count=1)
    named, java = NAMED.match(text), CLASS.match(text)
    name = named.group(1) if named else ""
    if java is None:
        return ServerError(text, name)
    kind, words = java.group(1), text[java.end() :]
    if kind.endswith(ANALYSIS):
        return RefusedStatementError(words, name)
    return ServerError(words if name else f"({kind}) {words}", name)


def ended(state: str) -> ServerError:
    """The error of a statement that the server ended without words: cancelled, or too late."""
    return ServerError(f"[{ENDED}] the server has ended the statement ({state})", ENDED)


def no_session() -> ServerError:
    """The error of a statement that was not begun."""
    error = SparkEndedError(
        "the session on the Thrift server has ended: the connection that opened it was lost, the "
        "server was restarted, or host and port of the profile lead to other servers",
        left="the statement was not run",
        remedy="run dbt again",
    )
    return ServerError(str(error), error.name)


class TypeName(DataType):
    """A type as Spark writes it."""

    def __init__(self, text: str) -> None:
        self.text = text

    def simpleString(self) -> str:  # noqa: N802 (PySpark's)
        return self.text


@dataclass(frozen=True, slots=True)
class ThriftResult:
    """All rows of a statement that has ended.

    ``described`` asks the server for the columns' types, where the protocol's are not exact.
    """

    seen: tuple[StructField, ...]
    rows: tuple[tuple[Any, ...], ...]
    described: Callable[[], Mapping[str, str]]

    @property
    def columns(self) -> list[str]:
        """The columns' names, as PySpark's frames have them."""
        return [column.name for column in self.seen]

    @property
    def schema(self) -> StructType:
        """The columns with their whole types."""
        if not any(column.dataType.simpleString() in INEXACT for column in self.seen):
            return StructType([*self.seen])
        whole = {name: TypeName(text) for name, text in self.described().items()}
        return StructType(
            [StructField(one.name, whole.get(one.name, one.dataType)) for one in self.seen]
        )

    def collect(self) -> list[Row]:
        return self.take(len(self.rows))

    def take(self, limit: int) -> list[Row]:
        named = Row(*self.columns)
        return [named(*row) for row in self.rows[:limit]]


def values_of(column: StructField, found: Iterable[Any]) -> list[Any]:
    """Python's values of a column, from those of the protocol."""
    convert = CONVERT.get(column.dataType.simpleString().split("(")[0], lambda value: value)
    return [None if value is None else convert(value) for value in found]


def _date(value: str) -> date | str:
    """Text where Python has no such date."""
    try:
        return date.fromisoformat(value)
    except ValueError:
        return value


def _timestamp(value: str) -> datetime | str:
    """Spark leaves zeros at the end of a fraction out."""
    whole, _, fraction = value.partition(".")
    try:
        return datetime.fromisoformat(f"{whole}.{fraction.ljust(6, '0')}")
    except ValueError:
        return value


def _float(value: float) -> float:
    """The value of 32 bits, as in a session: servers send the number that its text means."""
    (found,) = struct.unpack("f", struct.pack("f", value))
    return float(found)


CONVERT: Mapping[str, Callable[[Any], Any]] = MappingProxyType(
    {"decimal": Decimal, "date": _date, "timestamp": _timestamp, "float": _float}
)
