"""The marker of a target: who published what is there, and what was there before."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any

from dbt.adapters.ctas_spark.staging.metastore.client import TableEntry

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
TEXTS = ("commit", "version", "base", "target", "level")
MARKER_FORMAT = 1
"""What this release writes; a target with a newer one is not touched."""

MOST_ENTRIES = 40
MOST_CHARACTERS = 3_500


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
        """Read one entry; ValueError when it is none."""
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
        """Read a lineage; ValueError when the text is none."""
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
class Marker:
    """The properties of ours on a target.

    ``base`` is the commit id before, or empty for the first publication of ours; ``number`` counts
    the publications, and so orders the versions.
    """

    commit: str
    version: str
    base: str
    target: str
    level: str
    lineage: Lineage
    number: int = 1

    def to_parameters(self) -> dict[str, str]:
        numbers = {NUMBER: str(self.number), FORMAT: str(MARKER_FORMAT)}
        return {**_texts_of(self), LINEAGE: str(self.lineage), **numbers}

    def number_of(self, version: str) -> int | None:
        """The number of the version's last publication, as far as the lineage reaches."""
        for behind, entry in enumerate(self.lineage.entries):
            if entry.version == version:
                return self.number - behind
        return None

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
        """The marker among a table's properties, whosoever it is; None without a whole one."""
        try:
            lineage, number = Lineage.parse(parameters[LINEAGE]), int(parameters[NUMBER])
            return cls(**_texts_in(parameters), lineage=lineage, number=number)
        except (KeyError, ValueError):
            return None


@dataclass(frozen=True, slots=True)
class NativeMarker:
    """The marker of one publication; a format adds what else it has to know.

    ``base`` is the commit id before, or empty; ``time_ms`` the time just before the call.
    """

    commit: str
    version: str
    base: str
    target: str
    level: str
    kind: Kind
    time_ms: int

    def common_values(self) -> dict[str, str]:
        """The fields that every format has, as they are kept."""
        return {**_texts_of(self), KIND: self.kind.value, TIME: str(self.time_ms)}


def common_fields(kept: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that every format has; KeyError or ValueError if they are no whole marker."""
    return {**_texts_in(kept), "kind": Kind(kept[KIND]), "time_ms": int(kept[TIME])}


def _texts_of(marker: Marker | NativeMarker) -> dict[str, str]:
    """What every marker has; each field is kept under its own name."""
    return {PREFIX + name: getattr(marker, name) for name in TEXTS}


def _texts_in(kept: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(kept[PREFIX + name]) for name in TEXTS}
