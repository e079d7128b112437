"""What changed in a life, call by call, for people who look for the reason of a failure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ctas_spark.context import TableName
from ctas_spark.files.record import RECORD
from ctas_spark.metastore.client import EntryChange, TableEntry
from ctas_spark.publish.marker import Marker

LONGEST = 120


@dataclass(frozen=True, slots=True)
class Logged:
    """A call that changes something, and what the targets are after it."""

    run: str
    word: str
    call: str
    args: tuple[Any, ...]
    shown: Mapping[TableName, TableEntry | None]

    def __str__(self) -> str:
        args = ", ".join(_short(one) for one in self.args)
        tables = "; ".join(f"{name.table} {_what(entry)}" for name, entry in self.shown.items())
        return f"{self.run} ({self.word}): {self.call}({args}) -> {tables}"


def _short(argument: object) -> str:
    if isinstance(argument, EntryChange):
        state = argument.parameters.get(RECORD, "")
        return f"{argument.target} at {argument.staged.location} {state}".rstrip()
    return str(argument)[:LONGEST]


def _what(entry: TableEntry | None) -> str:
    marker = Marker.of(entry)
    if entry is None:
        return "is absent"
    return f"shows {marker.version} by {marker.commit}" if marker else f"is at {entry.location}"
