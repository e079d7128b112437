"""The JSON lines in which reading and rebuilding processes say what they saw and did.

All times are seconds of CLOCK_MONOTONIC, which on Linux all processes share.
"""

import json
from dataclasses import asdict, dataclass
from enum import Enum
from pathlib import Path
from typing import Any, TextIO


class Fault(str, Enum):
    """What a reader may see instead of a version.

    ``OVERTAKEN``: Spark or the format refused to mix two versions, as the columns changed between
    the query's analysis and its plan; it asks for the query anew.
    """

    OVERTAKEN = "overtaken"
    FAILED = "failed"
    MIXED = "mixed"
    EMPTY = "empty"
    PARTIAL = "partial"


@dataclass(frozen=True, slots=True)
class Read:
    """One query by one reader: the version it saw, or the fault (never both).

    ``mode`` says of which of the reader's sessions it is, ``table`` what it read.
    """

    started: float
    ended: float
    version: int | None
    fault: str | None
    reader: str = ""
    mode: str = ""
    table: str = ""

    @property
    def kind(self) -> Fault | None:
        """The kind of fault, which is what its text begins with."""
        return None if self.fault is None else Fault(self.fault.partition(":")[0])


@dataclass(frozen=True, slots=True)
class Commit:
    """One publication: it happened at some moment between ``started`` and ``ended``.

    ``ended`` is infinite for an attempt whose outcome nobody knows: readers may see
    its version from ``started`` on, and need not. ``level`` and ``reader_window`` are what the
    publication said of itself.
    """

    version: int
    started: float
    ended: float
    level: str = "isolated"
    reader_window: str = "none"


def append(journal: TextIO, line: Commit | dict[str, Any]) -> None:
    """Write ``line`` so that other processes see it at once."""
    journal.write(json.dumps(line if isinstance(line, dict) else asdict(line)) + "\n")
    journal.flush()


def entries(path: Path) -> list[dict[str, Any]]:
    """Return the complete lines of the journal at ``path`` so far."""
    text = path.read_text() if path.exists() else ""
    complete = text[: text.rfind("\n") + 1]
    return [json.loads(line) for line in complete.splitlines()]
