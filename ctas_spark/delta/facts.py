"""What a Delta log says, as plain values: a table at one version, its files, commits, markers."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..publish.marker import PREFIX, NativeMarker, PublicationKind, common_fields

ROWS = PREFIX + "rows"
BYTES = PREFIX + "bytes"
REPLACES = ("CREATE OR REPLACE TABLE", "REPLACE TABLE", "RESTORE")
WRITES = ("WRITE", "MERGE", "UPDATE", "DELETE", "STREAMING UPDATE", "TRUNCATE", "COPY INTO")
MAINTENANCE = frozenset({"OPTIMIZE", "REORG", "VACUUM START", "VACUUM END"})

Action = Mapping[str, Any]
Files = Mapping[str, Mapping[str, Any]]
"""The fields of ``add`` actions by their paths, which are encoded as in URIs."""

KEPT_IN_A_REMOVAL = (
    "path",
    "partitionValues",
    "size",
    "stats",
    "tags",
    "deletionVector",
    "baseRowId",
    "defaultRowCommitVersion",
)


@dataclass(frozen=True, slots=True)
class CommitMarker(NativeMarker):
    """The marker of one publication, in the user metadata of its commit.

    ``rows`` and ``bytes`` are what was staged, None where the files' statistics do not say it.
    """

    rows: int | None = None
    bytes: int | None = None

    def to_text(self) -> str:
        """One line of JSON, which DESCRIBE HISTORY shows."""
        return json.dumps({**self.common_values(), ROWS: self.rows, BYTES: self.bytes})

    @classmethod
    def parse(cls, text: str | None) -> "CommitMarker | None":
        """The marker in a commit's user metadata; None if that is a user's own, or nothing."""
        try:
            read: Any = json.loads(text or "")
            return cls(**common_fields(read), rows=read[ROWS], bytes=read[BYTES])
        except (KeyError, TypeError, ValueError):
            return None


@dataclass(frozen=True, slots=True)
class CommitFacts:
    """One commit of the log; ``operation`` and ``time_ms`` as the writer noted them."""

    number: int
    operation: str
    time_ms: int
    marker: CommitMarker | None

    @property
    def published(self) -> CommitMarker | None:
        """The marker of a build or a rollback of ours; a fence publishes nothing."""
        return None if self.is_fence else self.marker

    @property
    def ends_our_version(self) -> bool:
        """True for another's replace or restore: what it left is not a version of ours."""
        return self.marker is None and self.operation.startswith(REPLACES)

    @property
    def is_fence(self) -> bool:
        """True for a clean-up's commit, which only refuses the attempts over older versions."""
        return self.marker is not None and self.marker.kind is PublicationKind.FENCE

    @property
    def changes_rows(self) -> bool:
        """True for a statement of another's that adds, changes or deletes rows."""
        return self.marker is None and self.operation in WRITES

    @property
    def is_maintenance(self) -> bool:
        """True if the table's rows, schema and properties are those of before."""
        return self.marker is None and self.operation in MAINTENANCE

    @property
    def refuses_older_attempts(self) -> bool:
        """True if Delta is known to refuse a transaction that began before this commit.

        A commit that changes the metadata conflicts with every other; builds and fences change it.
        """
        return self.marker is not None and self.marker.kind in (
            PublicationKind.BUILD,
            PublicationKind.FENCE,
        )


Since = tuple[CommitFacts, ...] | None
"""The commits on top of a base, newest first; None if the log has not all of them any more."""


def publishes(since: tuple[CommitFacts, ...], version: str) -> bool:
    """True if one of the commits published the version."""
    return any(one.published and one.published.version == version for one in since)


@dataclass(frozen=True, slots=True)
class TableFacts:
    """A table at one version of its log.

    ``root`` is the URI of its directory; ``metadata`` and ``protocol`` are the actions' fields.
    """

    root: str
    number: int
    metadata: Mapping[str, Any]
    protocol: Mapping[str, Any]

    @property
    def id(self) -> str:
        """The table's identity: a table that is dropped and created again gets another."""
        return str(self.metadata["id"])

    @property
    def configuration(self) -> Mapping[str, str]:
        """Its properties, the format's own among them."""
        found: Mapping[str, str] = self.metadata.get("configuration") or {}
        return found

    @property
    def features(self) -> frozenset[str]:
        """The features that its protocol names; older protocols name none."""
        reader = self.protocol.get("readerFeatures") or ()
        return frozenset(reader) | frozenset(self.protocol.get("writerFeatures") or ())

    def is_same_as(self, other: "TableFacts") -> bool:
        """True if nobody has committed between the two."""
        return self.is_same_table(other) and self.number == other.number

    def is_same_table(self, other: "TableFacts") -> bool:
        """True if it is the same table, even at another version."""
        return self.id == other.id and self.root == other.root

    def has_same_shape(self, other: "TableFacts") -> bool:
        """True if schema, properties and protocol are the same."""
        return self.metadata == other.metadata and self.protocol == other.protocol


def live_files(commits: Iterable[Sequence[Action]]) -> Files:
    """What is left of consecutive commits, oldest first, of which the first has all live files.

    A path lives once: a commit that gives it another deletion vector removes and adds it.
    """
    found: dict[str, Mapping[str, Any]] = {}
    for actions in commits:
        for gone in (one["remove"] for one in actions if "remove" in one):
            found.pop(gone["path"], None)
        found |= {one["add"]["path"]: one["add"] for one in actions if "add" in one}
    return found


def has_all_files(number: int, actions: Sequence[Action]) -> bool:
    """True for the commit that created the table, and for a build of ours, which replaces all."""
    metadata = (one["commitInfo"].get("userMetadata") for one in actions if "commitInfo" in one)
    marker = CommitMarker.parse(next(metadata, None))
    return number == 0 or (marker is not None and marker.kind is PublicationKind.BUILD)


def removal(add: Mapping[str, Any], time_ms: int) -> Action:
    """What Delta's own ``AddFile.removeWithTimestamp`` makes of the fields of an ``add``."""
    kept = {key: add.get(key) for key in KEPT_IN_A_REMOVAL}
    return {**kept, "deletionTimestamp": time_ms, "dataChange": True, "extendedFileMetadata": True}
