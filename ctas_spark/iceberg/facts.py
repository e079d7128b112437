"""What an Iceberg table's metadata says, read from its JSON: one call of the JVM, no Java objects.

Source: Iceberg's table spec, "Table Metadata".
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..engines.protocol import WriteFigures
from ..publish.marker import COMMIT, SnapshotMarker

MAIN = "main"
NO_SNAPSHOT = -1
UPKEEP = frozenset(
    {
        "snapshots",
        "refs",
        "snapshot-log",
        "metadata-log",
        "statistics",
        "partition-statistics",
        "last-updated-ms",
    }
)
"""What changes when snapshots expire, or get names or statistics."""
COUNTED = frozenset({"last-sequence-number", "current-snapshot-id", "schemas", "partition-specs"})
"""What changes when files are rewritten, a branch is written, or unused schemas expire."""
STAMPS = frozenset({"nessie.commit.id"})
"""Properties that a catalog gives a table as it is loaded; they change with other tables, too."""
NEXT_ROW = "next-row-id"
"""Format version 3 numbers rows: what rewrites files changes it, and so does a branch."""
SORT_ORDER, IDENTIFIER_FIELDS = "sort-order", "identifier-fields"
"""What SHOW TBLPROPERTIES has among the properties if the table has one; nobody can set them."""
REPLACE = "replace"
"""The operation of a snapshot that has other files, and the same rows."""


@dataclass(frozen=True, slots=True)
class Rules:
    """The ids of the schema, partition spec and sort order by which a table is read and written."""

    schema: int
    spec: int
    sort_order: int


@dataclass(frozen=True, slots=True)
class Snapshot:
    """One snapshot; ``time_ms`` is its writer's clock."""

    id: int
    parent: int | None
    sequence_number: int
    time_ms: int
    manifest_list: str
    schema_id: int | None
    summary: Mapping[str, str]

    @classmethod
    def of(cls, one: Mapping[str, Any]) -> "Snapshot":
        """Read it from the table's metadata."""
        parent = one.get("parent-snapshot-id")
        return cls(
            id=int(one["snapshot-id"]),
            parent=None if parent is None else int(parent),
            sequence_number=int(one.get("sequence-number", 0)),
            time_ms=int(one["timestamp-ms"]),
            manifest_list=str(one.get("manifest-list", "")),
            schema_id=one.get("schema-id"),
            summary=one.get("summary", {}),
        )

    @property
    def operation(self) -> str:
        """What its commit did: ``append``, ``overwrite``, ``delete`` or ``replace``."""
        return self.summary.get("operation", "a snapshot")

    @property
    def figures(self) -> WriteFigures:
        """All rows, files and bytes that it shows; None where its writer counted none."""
        return WriteFigures.of_summary(self.summary)

    @property
    def marker(self) -> SnapshotMarker | None:
        """What made it, if that was a publication or a fence of ours."""
        return SnapshotMarker.of(self.summary)

    @property
    def published(self) -> SnapshotMarker | None:
        """The marker of a build or a rollback; a fence publishes nothing."""
        marker = self.marker
        return None if marker is None or marker.kind.keeps_the_version else marker


@dataclass(frozen=True)
class TableFacts:
    """A table's metadata at one moment; ``document`` is the JSON that the rest is read from."""

    document: Mapping[str, Any]
    metadata_location: str

    @property
    def uuid(self) -> str:
        """The table's identity, whatever its name."""
        return str(self.document["table-uuid"])

    @property
    def location(self) -> str:
        """The table's own directory."""
        return str(self.document["location"])

    @property
    def properties(self) -> Mapping[str, str]:
        found: Mapping[str, str] = self.document.get("properties", {})
        return found

    @property
    def shown(self) -> Mapping[str, str]:
        """Its properties as SHOW TBLPROPERTIES shows them, with what it has besides."""
        ordered, own = self.document.get("default-sort-order-id"), self.schema
        return {
            **self.properties,
            **({SORT_ORDER: str(ordered)} if ordered else {}),
            **({IDENTIFIER_FIELDS: ""} if own.get("identifier-field-ids") else {}),
        }

    @property
    def format_version(self) -> int:
        """1, 2 or 3."""
        return int(self.document["format-version"])

    @property
    def last_sequence_number(self) -> int:
        """The number of the last commit of data; 0 throughout format version 1."""
        return int(self.document.get("last-sequence-number", 0))

    @property
    def contents(self) -> Mapping[str, Any]:
        """All but what upkeep changes: what readers and writers of ``main`` get."""
        return {**self._without(UPKEEP), MAIN: self.main}

    @property
    def shape(self) -> Mapping[str, Any]:
        """What readers and writers of ``main`` go by, besides its rows and their numbers."""
        known = self._without(UPKEEP | COUNTED | {NEXT_ROW})
        return {**known, "schema": self.schema, "spec": self.spec}

    @property
    def rules(self) -> Rules:
        """Those of now."""
        found = ("current-schema-id", "default-spec-id", "default-sort-order-id")
        return Rules(*(int(self.document[one]) for one in found))

    @property
    def next_row(self) -> int:
        """The number of the next row; 0 where rows have none."""
        return int(self.document.get(NEXT_ROW, 0))

    @property
    def spec(self) -> Mapping[str, Any]:
        """The current partition spec."""
        return self._current("partition-specs", "spec-id", "default-spec-id")

    @property
    def schema(self) -> Mapping[str, Any]:
        """The current schema."""
        return self._current("schemas", "schema-id", "current-schema-id")

    @property
    def main(self) -> int | None:
        """The snapshot that readers get; None for a table that never had one."""
        reference = self.document.get("refs", {}).get(MAIN)
        if reference is not None:
            return int(reference["snapshot-id"])
        current = self.document.get("current-snapshot-id")
        return None if current is None or current == NO_SNAPSHOT else int(current)

    @property
    def branches(self) -> Mapping[str, int]:
        """The snapshot that each branch ends with, ``main`` among them."""
        refs = self.document.get("refs", {}).items()
        return {k: int(v["snapshot-id"]) for k, v in refs if v.get("type", "branch") == "branch"}

    def head(self, branch: str) -> Snapshot | None:
        """The branch's last snapshot."""
        return self.snapshots.get(self.branches.get(branch, NO_SNAPSHOT))

    @cached_property
    def snapshots(self) -> Mapping[int, Snapshot]:
        """What Iceberg still keeps, oldest first."""
        found = map(Snapshot.of, self.document.get("snapshots", ()))
        return {one.id: one for one in found}

    @cached_property
    def log(self) -> tuple[int, ...]:
        """The snapshots that ``main`` has shown, oldest first."""
        return tuple(int(one["snapshot-id"]) for one in self.document.get("snapshot-log", ()))

    @property
    def marker(self) -> SnapshotMarker | None:
        """The publication that ``main`` comes from; None if another's replace took its place."""
        found = (one.marker for one in self.ancestors(self.main))
        return next((marker for marker in found if marker is not None), None)

    def has_commit(self, commit: str) -> bool:
        """True if the publication is in the history, even if it is superseded."""
        return any(one.summary.get(COMMIT) == commit for one in self.snapshots.values())

    def has_all_since(self, sequence_number: int) -> bool:
        """True if no commit of data after that one has expired; False where none is numbered."""
        numbers = {one.sequence_number for one in self.snapshots.values()}
        since = range(sequence_number + 1, self.last_sequence_number + 1)
        return self.format_version > 1 and numbers.issuperset(since)

    def is_maintained(self, begun: "TableFacts") -> bool:
        """True if nothing but upkeep came after ``begun``: no rows, columns, rules, properties."""
        return self.has_rows_of(begun.main) and self.shape == begun.shape

    def has_rows_of(self, snapshot: int | None) -> bool:
        """True if ``main`` has that snapshot's rows: all commits since then only moved them."""
        current = self.main
        while current != snapshot:
            found = self.snapshots.get(current) if current is not None else None
            if found is None or found.operation != REPLACE:
                return False
            current = found.parent
        return True

    def ancestors(self, snapshot: int | None) -> Iterator[Snapshot]:
        """A snapshot and those that it was made from, as far as they are kept."""
        while snapshot is not None and snapshot in self.snapshots:
            found = self.snapshots[snapshot]
            yield found
            snapshot = found.parent

    def columns(self, schema_id: int | None) -> Mapping[str, str]:
        """Type by column name of one of the table's schemas; of a nested type, its kind."""
        for schema in self.document.get("schemas", ()):
            if schema["schema-id"] == schema_id:
                types = {field["name"]: field["type"] for field in schema["fields"]}
                return {k: v if isinstance(v, str) else str(v["type"]) for k, v in types.items()}
        return {}

    def _without(self, keys: frozenset[str]) -> dict[str, Any]:
        kept = {key: value for key, value in self.document.items() if key not in keys}
        properties = {k: v for k, v in self.properties.items() if k not in STAMPS}
        return {**kept, "properties": properties}

    def _current(self, listed: str, key: str, current: str) -> Mapping[str, Any]:
        found = self.document.get(listed, ())
        return next((one for one in found if one[key] == self.document.get(current)), {})


EMPTY = TableFacts({}, "")
"""Of a table that is not there, or has no history."""
