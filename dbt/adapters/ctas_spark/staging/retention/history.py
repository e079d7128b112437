"""The publications of a target, newest first, in the form that every kind shows them in."""

from collections.abc import Mapping
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


def change_of(old: Mapping[str, str], new: Mapping[str, str]) -> str:
    """What changed between columns: ``+added: type``, ``-removed``, ``name: old -> new``.

    Args:
        old: type by name.
        new: type by name.
    """
    added = [f"+{name}: {kind}" for name, kind in new.items() if name not in old]
    removed = [f"-{name}" for name in old if name not in new]
    changed = [
        f"{name}: {old[name]} -> {kind}"
        for name, kind in new.items()
        if name in old and old[name] != kind
    ]
    return ", ".join([*added, *removed, *changed])
