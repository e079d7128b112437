"""The marker of a target: who published what is there, and what was there before; their ids."""

import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timezone
from enum import Enum
from typing import Any

from ..metastore.client import TableEntry

PREFIX = "ctas_spark_"
COMMIT = PREFIX + "commit"
VERSION = PREFIX + "version"
BASE = PREFIX + "base"
TARGET = PREFIX + "target"
LEVEL = PREFIX + "level"
LINEAGE = PREFIX + "lineage"
NUMBER = PREFIX + "number"
FORMAT = PREFIX + "format"
KIND = PREFIX + "kind"
TIME = PREFIX + "time_ms"
SPEC = PREFIX + "spec_id"
SORT_ORDER = PREFIX + "sort_order_id"
FORK = PREFIX + "fork"
TEXTS = ("commit", "version", "base", "target", "level")
MARKER_FORMAT = 1
"""What this release writes; a target with a newer one is not touched."""

MOST_ENTRIES = 40
MOST_CHARACTERS = 3_500

VERSION_ID = re.compile(r"\d{8}t\d{6}x[0-9a-f]{8}")
START = "%Y%m%dt%H%M%S"


def new_version_id(wall_ms: int) -> str:
    """The start of an attempt in UTC and eight random hex digits: it names directory and entry.

    Args:
        wall_ms: UTC in milliseconds since the epoch.
    """
    started = datetime.fromtimestamp(wall_ms / 1000, tz=timezone.utc)
    return f"{started:{START}}x{secrets.token_hex(4)}"


def started_ms(version: str) -> int:
    """When the attempt began, in milliseconds since the epoch, by the clock of its machine."""
    start = datetime.strptime(version.partition("x")[0], START).replace(tzinfo=timezone.utc)
    return int(start.timestamp()) * 1000


def new_commit_id() -> str:
    """A fresh id; every publication has its own."""
    return "c" + secrets.token_hex(8)


class Kind(str, Enum):
    """What a publication was; a fence leaves the version as it is."""

    BUILD = "build"
    FENCE = "fence"
    ROLLBACK = "rollback"

    @property
    def keeps_the_version(self) -> bool:
        """True if location, schema and data are those of the publication before."""
        return self is Kind.FENCE


@dataclass(frozen=True, slots=True)
class LineageEntry:
    """One publication; ``time_ms`` is the storage's time just before its commit call."""

    commit: str
    version: str
    kind: Kind
    time_ms: int

    def __str__(self) -> str:
        return f"{self.commit}:{self.version}:{self.kind.value}:{self.time_ms}"

    @classmethod
    def parse(cls, text: str) -> "LineageEntry":
        """Read one entry; ValueError if the text is anything else."""
        commit, version, kind, time_ms = text.split(":")
        return cls(commit, version, Kind(kind), int(time_ms))


@dataclass(frozen=True, slots=True)
class Lineage:
    """The publications of a target, newest first; the order of versions is this list."""

    entries: tuple[LineageEntry, ...] = ()

    def __str__(self) -> str:
        return ",".join(str(entry) for entry in self.entries)

    @classmethod
    def parse(cls, text: str) -> "Lineage":
        """Read a lineage; ValueError if the text is anything else."""
        return cls(tuple(LineageEntry.parse(part) for part in text.split(",") if part))

    def __contains__(self, commit: str) -> bool:
        return any(entry.commit == commit for entry in self.entries)

    def has_version(self, version: str) -> bool:
        """True if the version was ever published, as far as the list reaches."""
        return any(entry.version == version for entry in self.entries)

    def followed_by(self, entry: LineageEntry) -> "Lineage":
        """This lineage with one more publication, its oldest ones cut to the limits."""
        kept = (entry, *self.entries)[:MOST_ENTRIES]
        while len(",".join(map(str, kept))) > MOST_CHARACTERS:
            kept = kept[:-1]
        return Lineage(kept)


@dataclass(frozen=True, slots=True)
class AnyMarker:
    """What every marker says; ``base`` is the commit id before, or empty for our first one."""

    commit: str
    version: str
    base: str
    target: str
    level: str

    def texts(self) -> dict[str, str]:
        """Each field under its key."""
        return {PREFIX + name: getattr(self, name) for name in TEXTS}


@dataclass(frozen=True, slots=True)
class Marker(AnyMarker):
    """Our properties on a target; ``number`` counts publications, and so orders versions."""

    lineage: Lineage
    number: int = 1

    def to_parameters(self) -> dict[str, str]:
        numbers = {NUMBER: str(self.number), FORMAT: str(MARKER_FORMAT)}
        return {**self.texts(), LINEAGE: str(self.lineage), **numbers}

    def number_of(self, version: str) -> int | None:
        """The number of the version's last publication, as far as the lineage reaches."""
        for behind, entry in enumerate(self.lineage.entries):
            if entry.version == version:
                return self.number - behind
        return None

    def published(self, version: str, number: int) -> bool:
        """True if the publication of that number was the version's; False beyond the lineage."""
        behind, entries = self.number - number, self.lineage.entries
        return 0 <= behind < len(entries) and entries[behind].version == version

    @classmethod
    def of(cls, entry: TableEntry | None) -> "Marker | None":
        """The entry's own marker; None if it has none, or a foreign one.

        SHOW CREATE TABLE copies properties and location into clones: a marker that names
        another target or another version than the entry's directory is not this entry's.
        """
        if entry is None:
            return None
        marker = cls.read(entry.parameters)
        if marker is None or marker.target != str(entry.name):
            return None
        return marker if marker.version == entry.directory_name else None

    @classmethod
    def read(cls, parameters: Mapping[str, str]) -> "Marker | None":
        """The marker among a table's properties, even a foreign one; None without a whole one."""
        try:
            lineage, number = Lineage.parse(parameters[LINEAGE]), int(parameters[NUMBER])
            return cls(**_texts_in(parameters), lineage=lineage, number=number)
        except (KeyError, ValueError):
            return None


@dataclass(frozen=True, slots=True)
class NativeMarker(AnyMarker):
    """The marker of one commit in a format's history; ``time_ms`` is just before the call."""

    kind: Kind
    time_ms: int

    def common_values(self) -> dict[str, str]:
        """The fields that every format has, as they are kept."""
        return {**self.texts(), KIND: self.kind.value, TIME: str(self.time_ms)}


def common_fields(kept: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that every format has; KeyError or ValueError if they are no whole marker."""
    return {**_texts_in(kept), "kind": Kind(kept[KIND]), "time_ms": int(kept[TIME])}


@dataclass(frozen=True, slots=True)
class SnapshotMarker(NativeMarker):
    """What a published snapshot's summary says of its publication.

    ``spec_id`` and ``sort_order_id`` are the table's from this publication on; ``fork`` is the
    version id of the fork that it was staged on, or empty for a fence.
    """

    spec_id: int
    sort_order_id: int
    fork: str

    def to_summary(self) -> dict[str, str]:
        """The marker as keys of a summary."""
        own = {SPEC: str(self.spec_id), SORT_ORDER: str(self.sort_order_id), FORK: self.fork}
        return {**self.common_values(), **own}

    @classmethod
    def of(cls, summary: Mapping[str, str]) -> "SnapshotMarker | None":
        """The marker in a snapshot's summary, if it is whole."""
        try:
            return cls(
                **common_fields(summary),
                spec_id=int(summary[SPEC]),
                sort_order_id=int(summary[SORT_ORDER]),
                fork=summary[FORK],
            )
        except (KeyError, ValueError):
            return None


def _texts_in(kept: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(kept[PREFIX + name]) for name in TEXTS}
