"""An Iceberg catalog in memory: tables are the JSON of their metadata files."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any, cast

from ctas_spark.context import TableName
from ctas_spark.errors import (
    EntryExistsError,
    EntryMissingError,
    MetastoreError,
    RefusedError,
)
from ctas_spark.iceberg.facts import EMPTY, MAIN, TableFacts
from ctas_spark.iceberg.loaded import FilesGoneError, LoadedTable
from fakes.clock import FakeClock
from fakes.storage import FakeStorage

Document = dict[str, Any]


def column(number: int, name: str, **more: Any) -> Document:
    """A column that may be NULL."""
    return {"id": number, "name": name, "type": "long", "required": False, **more}


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
        "current-schema-id": 0,
        "schemas": [{"schema-id": 0, "fields": [column(1, "id")]}],
        "default-spec-id": 0,
        "default-sort-order-id": 0,
        **more,
    }


def with_snapshot(
    table: Document,
    summary: Mapping[str, str] | None = None,
    *,
    replaces: bool = False,
    branch: str = MAIN,
) -> Document:
    """The table after one more commit; ``manifests`` are all that its snapshot needs."""
    number = table["last-sequence-number"] + 1
    identity = hash((table["table-uuid"], number, branch, str(summary))) % 10**9
    snapshot: Document = {
        "snapshot-id": identity,
        "sequence-number": number,
        "manifest-list": f"{metadata_folder(table)}/snap-{identity}.avro",
        "timestamp-ms": number,
        "schema-id": 0,
        "summary": dict(summary or {}),
    }
    manifests = [snapshot["manifest-list"]]
    if table["snapshots"] and not replaces:
        parent = table["refs"][branch]["snapshot-id"]
        snapshot["parent-snapshot-id"] = parent
        by_id = {one["snapshot-id"]: one["manifests"] for one in table["snapshots"]}
        manifests += by_id[parent]
    snapshot["manifests"] = manifests
    return {
        **table,
        "last-sequence-number": number,
        "snapshots": [*table["snapshots"], snapshot],
        "snapshot-log": [*table["snapshot-log"], *([{"snapshot-id": identity}] * (branch == MAIN))],
        "refs": {**table["refs"], branch: {"snapshot-id": identity}},
    }


def metadata_folder(table: Document) -> str:
    """Where its manifests and metadata files lie."""
    found: str = table["properties"].get("write.metadata.path", f"{table['location']}/metadata")
    return found


def loaded(facts: TableFacts) -> LoadedTable:
    """A table of which nothing but its metadata is asked."""
    return cast("LoadedTable", SimpleNamespace(facts=facts))


class FakeTable:
    """A table as it was loaded; its commits go to the catalog."""

    def __init__(self, tables: "FakeIceberg", name: TableName) -> None:
        self._tables = tables
        self._name = name
        self.facts = TableFacts(*tables.entries[name])
        self.metadata = SimpleNamespace()

    def with_properties(self, properties: Mapping[str, str]) -> "FakeTable":
        return self._change(lambda now: {**now, "properties": {**now["properties"], **properties}})

    @property
    def storage(self) -> FakeStorage:
        return self._tables.storage

    def begin_branch(self, name: str, snapshot: int) -> None:
        refs = {name: {"snapshot-id": snapshot}}
        self._change(lambda now: {**now, "refs": {**now["refs"], **refs}})

    def has_file(self, path: str) -> bool:
        return self._tables.storage.exists(path)

    def append_nothing(self, summary: Mapping[str, str]) -> "FakeTable":
        return self._change(lambda now: with_snapshot(now, summary))

    def say_location(self, location: str) -> "FakeTable":
        return self._change(lambda now: {**now, "location": location})

    def _change(self, changed: Callable[[Document], Document]) -> "FakeTable":
        if self._name not in self._tables.entries:
            raise EntryMissingError(f"{self._name} is gone")
        self._tables.put(self._name, changed(self._tables.entries[self._name][0]))
        return FakeTable(self._tables, self._name)


class FakeIceberg:
    """``entries`` are documents with their files' names; ``unreadable`` are names and errors.

    ``views`` says of each whether it is a clone's.

    Manifest lists are in ``storage``. ``after`` is called with the name of a call that has changed
    something, and its table.
    """

    def __init__(self, clock: FakeClock, storage: FakeStorage) -> None:
        self.name = "ice"
        self.storage = storage
        self.packages = None
        self.clock = clock
        self.entries: dict[TableName, tuple[Document, str]] = {}
        self.unreadable: dict[TableName, MetastoreError] = {}
        self.views: dict[TableName, bool] = {}
        self.files: dict[str, Document] = {}
        self.settings: dict[str, str] = {}
        self.has_forked = False
        self.gone = ""
        self.missing_namespaces: set[str] = set()
        self.after: Callable[[str, TableName], None] = lambda *_: None

    def put(self, name: TableName, table: Document, file: str = "") -> None:
        """Write the table's next metadata file."""
        updated = {**table, "last-updated-ms": self.clock.wall}
        path = file or f"{metadata_folder(table)}/{len(self.files)}.metadata.json"
        self.files[path] = updated
        if table["snapshots"]:
            self.storage.write(table["snapshots"][-1]["manifest-list"], "manifests")
        self.entries[name] = (updated, path)
        self.after("put", name)

    def find(self, name: TableName) -> Any:
        if name in self.unreadable:
            raise self.unreadable[name]
        return FakeTable(self, name) if name in self.entries else None

    def forget(self, name: TableName) -> None:
        """Nothing is cached."""

    def history(self, name: TableName) -> TableFacts:
        return FakeTable(self, name).facts if name in self.entries else EMPTY

    def drop_branch(self, name: TableName, branch: str) -> None:
        if name in self.entries:
            table = self.entries[name][0]
            table["refs"].pop(branch, None)
            self.put(name, table)

    def schema_of(self, query: str) -> Mapping[str, Any]:
        if not query.startswith("SELECT "):
            raise RefusedError("Spark does not understand it")
        return {"fields": [column(n, one) for n, one in enumerate(query.split()[1:])]}

    def run(self, action: str, query: str) -> Sequence[Mapping[str, Any]]:
        if self.gone:
            raise MetastoreError(f"could not {action}: {self.gone}")
        return [{"spec": 0, "query": query}]

    def writes_elsewhere(self) -> str:
        return ""

    def is_clone(self, name: TableName) -> bool:
        return self.views.get(name, False)

    def drop_view(self, name: TableName) -> None:
        self.views.pop(name, None)
        self.after("drop view", name)

    def has_view(self, name: TableName) -> bool:
        return name in self.views

    def has_namespace(self, namespace: str) -> bool:
        return namespace not in self.missing_namespaces

    def tables(self, namespace: str) -> tuple[TableName, ...]:
        known = dict.fromkeys((*self.entries, *self.unreadable))
        return tuple(name for name in known if name.database == namespace)

    def all_tables(self) -> Iterator[TableName]:
        yield from (*self.entries, *self.unreadable)

    def register(self, name: TableName, metadata_location: str) -> FakeTable:
        if name in self.entries or name in self.views:
            raise EntryExistsError(f"{name} exists")
        if metadata_location not in self.files:
            raise FilesGoneError(f"{metadata_location} is gone")
        self.entries[name] = (self.files[metadata_location], metadata_location)
        self.after("register", name)
        return FakeTable(self, name)

    def create_empty(
        self, name: TableName, location: str, properties: Mapping[str, str]
    ) -> FakeTable:
        if name in self.entries:
            raise EntryExistsError(f"{name} exists")
        self.put(name, document("new", location, properties=dict(properties)))
        return FakeTable(self, name)

    def rename(self, name: TableName, to: TableName) -> None:
        if name in self.unreadable:
            raise self.unreadable[name]
        self.entries[to] = self.entries.pop(name)
        self.after("rename", name)

    def shows_files_of(self, name: TableName, version: str) -> bool:
        needed = (one["manifests"] for one in self.entries[name][0]["snapshots"])
        return any(f"/{version}/" in path for paths in needed for path in paths)

    def drop_entry(self, name: TableName) -> None:
        self.entries.pop(name, None)
        self.unreadable.pop(name, None)

    def location_of_new(self, name: TableName) -> str:
        if name in self.views:
            raise EntryMissingError(f"Table does not exist: {name}")
        return f"w/{name.table}"

    def write_metadata(self, text: str, like: Any, path: str) -> None:  # noqa: ARG002 (the shape)
        self.files[path] = json.loads(text)
