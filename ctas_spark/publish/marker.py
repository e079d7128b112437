"""The marker of a target: who published what is there, and what was there before; ids and names."""

import re
import secrets
from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from enum import Enum
from itertools import accumulate
from typing import Any

from ..context import TableName
from ..engines.protocol import UNKNOWN, WriteFigures
from ..metastore.client import TableEntry

PREFIX = "ctas_spark_"
COMMIT = PREFIX + "commit"
VERSION = PREFIX + "version"
BASE = PREFIX + "base"
TARGET = PREFIX + "target"
LEVEL = PREFIX + "level"
LINEAGE = PREFIX + "lineage"
LIFE = PREFIX + "life"
FORMAT = PREFIX + "format"
KIND = PREFIX + "kind"
TIME = PREFIX + "time_ms"
SPEC = PREFIX + "spec_id"
SORT_ORDER = PREFIX + "sort_order_id"
FORK = PREFIX + "fork"
CLONE = PREFIX + "clone"
"""The property of a view that dbt clone has made."""
TEXTS = ("commit", "version", "base", "target", "level")
MARKER_FORMAT = 1
"""What this release writes; a target with a newer one is not touched."""

MOST_ENTRIES = 40
MOST_CHARACTERS = 3_500
MOST_OF_THE_TABLE_NAME = 120

COMMIT_ID = re.compile(r"\d{13,}_[^_:,]*_[0-9a-f]+")
VERSION_ID = re.compile(r"\d{8}t\d{6}x[0-9a-f]{8}")
START = "%Y%m%dt%H%M%S"


def new_version_id(wall_ms: int) -> str:
    """The start of an attempt in UTC and eight random hex digits: it names directory and entry.

    Args:
        wall_ms: UTC in milliseconds since the epoch.
    """
    return f"{start_text(wall_ms)}x{secrets.token_hex(4)}"


def start_text(wall_ms: int) -> str:
    """How the ids of versions begin that began in this second; these texts sort by time."""
    return f"{datetime.fromtimestamp(wall_ms / 1000, tz=timezone.utc):{START}}"


def started_ms(version: str) -> int:
    """When the attempt began, in milliseconds since the epoch, by the clock of its machine."""
    day, time = version[:8], version[9:15]
    date = int(day[:4]), int(day[4:6]), int(day[6:])
    start = datetime(*date, int(time[:2]), int(time[2:4]), int(time[4:]), tzinfo=timezone.utc)
    return int(start.timestamp()) * 1000


def name_of_record(staging_schema: str, target: TableName, version: str) -> TableName:
    """The entry that readers of a staged version select from."""
    return TableName(staging_schema, f"{record_prefix(target)}{version}", target.catalog)


def record_prefix(target: TableName) -> str:
    """How the names of a target's records begin; those of another target's may begin so, too.

    Cut to what catalogs hold, and in small letters, as metastores list all names.
    """
    return f"{target.table[:MOST_OF_THE_TABLE_NAME].lower()}__"


def version_named(record: TableName) -> str:
    """The version id in a record's name."""
    return record.table.rpartition("__")[2]


def is_record_of(name: TableName, target: TableName) -> bool:
    """True for a name that a record of the target has."""
    version = version_named(name)
    is_version = VERSION_ID.fullmatch(version) is not None
    return is_version and name.table == f"{record_prefix(target)}{version}"


def new_commit_id(order_ms: int, version: str) -> str:
    """A fresh id of a publication: a target's ids sort by publication, and name what was published.

    Args:
        order_ms: the storage's time just before the call, and later than the base's.
        version: the version that the target shows from then on.
    """
    return f"{order_ms:013d}_{version}_{secrets.token_hex(4)}"


def order_of(commit: str) -> int:
    """The place of a publication among those of its target, in milliseconds since the epoch."""
    return int(commit.partition("_")[0])


def checked_commit_id(text: str) -> str:
    """The text; ValueError if it is not a commit id."""
    if not COMMIT_ID.fullmatch(text):
        raise ValueError(f"{text} is not a commit id")
    return text


def version_in(commit: str) -> str:
    """The version that the publication of this id has published."""
    return commit.split("_")[1]


class PublicationKind(str, Enum):
    """What a publication was; a fence leaves the version as it is."""

    BUILD = "build"
    FENCE = "fence"
    ROLLBACK = "rollback"

    @property
    def keeps_the_version(self) -> bool:
        """True if location, schema and data are those of the publication before."""
        return self is PublicationKind.FENCE


@dataclass(frozen=True, slots=True)
class LineageEntry:
    """One publication, and what it holds.

    ``landed_ms`` is a time, in milliseconds since the epoch, by which it had landed: the next
    publication writes it, so the newest one has None.
    """

    commit: str
    kind: PublicationKind
    landed_ms: int | None = None
    figures: WriteFigures = UNKNOWN

    def __str__(self) -> str:
        counted = self.figures.rows, self.figures.bytes, self.figures.files
        numbers = ("" if one is None else str(one) for one in (self.landed_ms, *counted))
        return ":".join((self.commit, self.kind.value, *numbers))

    @property
    def version(self) -> str:
        """What the target showed from then on."""
        return version_in(self.commit)

    @property
    def time_ms(self) -> int:
        """Just before its commit call, by the storage's clock."""
        return order_of(self.commit)

    @property
    def is_fence(self) -> bool:
        """True if it published nothing."""
        return self.kind.keeps_the_version

    @classmethod
    def parse(cls, text: str) -> "LineageEntry":
        """Read one entry; ValueError if the text is anything else."""
        commit, kind, *numbers = text.split(":")
        landed_ms, rows, size, files = (int(one) if one else None for one in numbers)
        return cls(
            checked_commit_id(commit),
            PublicationKind(kind),
            landed_ms,
            WriteFigures(rows=rows, files=files, bytes=size),
        )


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

    def figures_of(self, version: str) -> WriteFigures:
        """What the version held when it was last published, as far as that was counted."""
        found = (one.figures for one in self.entries if one.version == version and not one.is_fence)
        return next(found, UNKNOWN)

    def followed_by(self, entry: LineageEntry, landed_ms: int | None = None) -> "Lineage":
        """This lineage with one more publication, its oldest ones cut to the limits.

        Args:
            landed_ms: when the newest one so far had landed.
        """
        before = self.entries
        if before:
            before = (replace(before[0], landed_ms=landed_ms), *before[1:])
        kept = (entry, *before)[:MOST_ENTRIES]
        ends = accumulate(len(str(one)) + 1 for one in kept)
        return Lineage(kept[: bisect_right([*ends], MOST_CHARACTERS + 1)])


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
    """Our properties on a target.

    ``life`` is the publication that created the table, or first replaced another's: while the
    lineage has it, nothing was cut from the list. A drop or a rename ends a life.
    """

    lineage: Lineage
    life: str

    def to_parameters(self) -> dict[str, str]:
        rest = {LINEAGE: str(self.lineage), LIFE: self.life, FORMAT: str(MARKER_FORMAT)}
        return {**self.texts(), **rest}

    @property
    def is_whole(self) -> bool:
        """True if the lineage has every publication of the table's life."""
        return self.life in self.lineage

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
            lineage, life = Lineage.parse(parameters[LINEAGE]), parameters[LIFE]
            return cls(**_texts_in(parameters), lineage=lineage, life=life)
        except (KeyError, ValueError, IndexError):
            return None


@dataclass(frozen=True, slots=True)
class NativeMarker(AnyMarker):
    """The marker of one commit in a format's history; ``time_ms`` is just before the call."""

    kind: PublicationKind
    time_ms: int

    def common_values(self) -> dict[str, str]:
        """The fields that every format has, as they are kept."""
        return {**self.texts(), KIND: self.kind.value, TIME: str(self.time_ms)}


def common_fields(kept: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that every format has; KeyError or ValueError if they are no whole marker."""
    return {**_texts_in(kept), "kind": PublicationKind(kept[KIND]), "time_ms": int(kept[TIME])}


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
