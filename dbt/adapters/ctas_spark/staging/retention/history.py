"""The publications of a target, newest first, in the form that every kind shows them in."""

from dataclasses import dataclass
from datetime import datetime, timezone


@dataclass(frozen=True, slots=True)
class Event:
    """One publication; ``rows`` and ``bytes`` are None where nobody counted them.

    ``state`` is that of its version: ``live``, ``kept``, ``deleted``, or ``last published`` where a
    table does not show which version it is. ``schema_change`` compares with the publication before,
    as far as both are known.
    """

    version: str
    time: str
    kind: str
    state: str
    rows: int | None
    bytes: int | None
    schema_change: str


def time_text(time_ms: int) -> str:
    """A publication's time as the history shows it, in UTC."""
    return f"{datetime.fromtimestamp(time_ms / 1000, tz=timezone.utc):%Y-%m-%d %H:%M:%S}"
