"""An Iceberg catalog in memory: tables are the JSON of their metadata files."""

import json
from collections.abc import Callable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import (
    EntryExistsError,
    EntryMissingError,
    MetastoreError,
)
from dbt.adapters.ctas_spark.staging.iceberg.facts import TableFacts
from dbt.adapters.ctas_spark.staging.iceberg.tables import FilesGoneError
from fakes.clock import FakeClock

Document = dict[str, Any]


def document(uuid: str = "u", location: str = "w/t", **more: Any) -> Document:
    """The metadata of an empty table."""
    return {
        "format-version": 2,
        "table-uuid": uuid,
        "location": location,
        "last-sequence-number": 0,
        "last-updated-ms": 0,
        "properties": {},
        "snapshots": [],
        "snapshot-log": [],
        "refs": {},
        "schemas": [{"schema-id": 0, "fields": [{"name": "id", "type": "long"}]}],
        "default-spec-id": 0,
        "default-sort-order-id": 0,
        **more,
    }


def with_snapshot(
    table: Document, summary: Mapping[str, str] | None = None, *, replaces: bool = False
) -> Document:
    """The table after one more commit to main."""
    number = table["last-sequence-number"] + 1
    snapshot: Document = {
        "snapshot-id": hash((table["table-uuid"], number, str(summary))) % 10**9,
        "timestamp-ms": number,
        "schema-id": 0,
        "summary": dict(summary or {}),
    }
    if table["snapshots"] and not replaces:
        snapshot["parent-snapshot-id"] = table["refs"]["main"]["snapshot-id"]
    return {
        **table,
        "last-sequence-number": number,
        "snapshots": [*table["snapshots"], snapshot],
        "snapshot-log": [*table["snapshot-log"], {"snapshot-id": snapshot["snapshot-id"]}],
        "refs": {"main": {"snapshot-id": snapshot["snapshot-id"]}},
    }


class FakeTable:
    """A table as it was loaded; its commits go to the catalog."""

    def __init__(self, tables: "FakeIceberg", name: TableName) -> None:
        self._tables = tables
        self._name = name
        self.facts = TableFacts(*tables.entries[name])
        self.metadata = SimpleNamespace()

    def with_properties(self, properties: Mapping[str, str]) -> None:
        self._change(lambda now: {**now, "properties": {**now["properties"], **properties}})

    def append_nothing(self, summary: Mapping[str, str]) -> None:
        self._change(lambda now: with_snapshot(now, summary))

    def say_location(self, location: str) -> None:
        self._change(lambda now: {**now, "location": location})

    def _change(self, changed: Callable[[Document], Document]) -> None:
        if self._name not in self._tables.entries:
            raise EntryMissingError(f"{self._name} is gone")
        self._tables.put(self._name, changed(self._tables.entries[self._name][0]))


class FakeIceberg:
    """``entries`` are documents with their files' names; ``unreadable`` are names and errors.

    ``after`` is called with the name of a call that has changed something, and its table.
    """

    def __init__(self, clock: FakeClock) -> None:
        self.name = "ice"
        self.packages = None
        self.clock = clock
        self.entries: dict[TableName, tuple[Document, str]] = {}
        self.unreadable: dict[TableName, MetastoreError] = {}
        self.files: dict[str, Document] = {}
        self.after: Callable[[str, TableName], None] = lambda *_: None

    def put(self, name: TableName, table: Document, file: str = "") -> None:
        """Write the table's next metadata file."""
        updated = {**table, "last-updated-ms": self.clock.wall}
        folder = table["properties"].get("write.metadata.path", f"{table['location']}/metadata")
        path = file or f"{folder}/{len(self.files)}.metadata.json"
        self.files[path] = updated
        self.entries[name] = (updated, path)
        self.after("put", name)

    def find(self, name: TableName) -> Any:
        if name in self.unreadable:
            raise self.unreadable[name]
        return FakeTable(self, name) if name in self.entries else None

    def has_view(self, name: TableName) -> bool:  # noqa: ARG002 (the shape)
        return False

    def has_namespace(self, namespace: str) -> bool:  # noqa: ARG002 (the shape)
        return True

    def tables(self, namespace: str) -> tuple[TableName, ...]:
        known = dict.fromkeys((*self.entries, *self.unreadable))
        return tuple(name for name in known if name.database == namespace)

    def all_tables(self) -> Iterator[TableName]:
        yield from (*self.entries, *self.unreadable)

    def register(self, name: TableName, metadata_location: str) -> None:
        if name in self.entries:
            raise EntryExistsError(f"{name} exists")
        if metadata_location not in self.files:
            raise FilesGoneError(f"{metadata_location} is gone")
        self.entries[name] = (self.files[metadata_location], metadata_location)
        self.after("register", name)

    def create_empty(self, name: TableName, location: str, properties: Mapping[str, str]) -> None:
        if name in self.entries:
            raise EntryExistsError(f"{name} exists")
        self.put(name, document("new", location, properties=dict(properties)))

    def drop_entry(self, name: TableName) -> None:
        self.entries.pop(name, None)
        self.unreadable.pop(name, None)

    def location_of_new(self, name: TableName) -> str:
        return f"w/{name.table}"

    def write_metadata(self, text: str, like: Any, path: str) -> None:  # noqa: ARG002 (the shape)
        self.files[path] = json.loads(text)

    def forget_cached(self, name: TableName) -> None:
        self.after("forget_cached", name)
