"""The rival, the users and the readers of a fake place: what others do is seen at once."""

import json
from collections.abc import Mapping, MutableMapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from contract.contents import LAYOUTS, Content, ordered
from contract.other_run import OtherRun, named
from contract.places import UnreadableError
from ctas_spark.context import StagingContext, TableName
from ctas_spark.files.base import PARTITION_PROVIDER, SCHEMA
from ctas_spark.metastore.client import (
    MANAGED,
    PARTITION_COLUMN,
    PARTITION_COLUMN_COUNT,
    PROVIDER,
    VIEW,
    TableEntry,
)
from ctas_spark.publish.staged_table import StagedTable
from fakes.engine import FakeJob
from fakes.metastore import entry
from fakes.world import STAGING_SCHEMA

if TYPE_CHECKING:
    from contract.fake_place import FakePlace

OWN_COLUMNS = 3
A_SECOND_OR_TWO = 2_000


def described(
    name: TableName, directory: str, content: Content, time_ms: int, own: Mapping[str, str]
) -> TableEntry:
    """The entry that a CTAS makes: Spark reads the schema from its properties."""
    keys = content.layout.partition_by
    return entry(
        name,
        location=directory,
        columns=content.columns[:OWN_COLUMNS],
        partition_keys=keys,
        create_time=time_ms // 1_000,
        parameters={
            PROVIDER: content.file_format,
            SCHEMA: json.dumps({"fields": [{"name": n, "type": t} for n, t in content.columns]}),
            "transient_lastDdlTime": str(time_ms // 1_000),
            **({PARTITION_COLUMN_COUNT: str(len(keys))} if keys else {}),
            **{f"{PARTITION_COLUMN}{at}": key for at, key in enumerate(keys)},
            **content.properties,
            **own,
        },
    )


class FakeOthers(OtherRun):
    """Another invocation, and users without any."""

    def __init__(self, place: "FakePlace") -> None:
        super().__init__(STAGING_SCHEMA)
        self._place = place
        self._run = place.open_run()
        self._held: dict[str, tuple[TableEntry, list[str]]] = {}

    def begin(self, context: StagingContext) -> StagedTable[Any]:
        return self._run.catalog.plan(context, FakeJob()).begin()

    def stage(self, staged: StagedTable[Any], content: Content) -> None:
        self._place.stage(staged, content)

    def fill(self, staged: StagedTable[Any], content: Content) -> None:
        self._place.fill(staged, content)

    def plain(self, table: str, layout: str, number: int) -> None:
        name, content = named(table), Content(number, LAYOUTS[layout])
        directory = f"file:/warehouse/shop.db/{name.table}"
        tracked = {PARTITION_PROVIDER: "catalog"} if content.layout.partition_by else {}
        self._place.write(directory, content)
        found = described(name, directory, content, self._place.world.clock.wall, tracked)
        self._tables[name] = replace(found, table_type=MANAGED)
        self._place.register(name, directory)
        self._place.world.clock.pass_ms(A_SECOND_OR_TWO)

    def view(self, table: str) -> None:
        name = named(table)
        self._tables[name] = entry(name, table_type=VIEW, location=None)

    def drop(self, table: str) -> None:
        del self._tables[named(table)]
        self._place.world.metastore.kept.pop(named(table), None)

    def set_property(self, table: str, key: str, value: str) -> None:
        name = named(table)
        now = self._tables[name]
        self._tables[name] = replace(now, parameters={**now.parameters, key: value})

    def insert(self, table: str, layout: str, number: int) -> None:
        name = named(table)
        location = self._tables[name].location or ""
        self._place.write(location, Content(number, LAYOUTS[layout]), "insert")
        if PARTITION_PROVIDER in self._tables[name].parameters:
            self._place.register(name, location)

    def show_partitions(self, table: str) -> list[str]:
        name = named(table)
        if PARTITION_PROVIDER not in self._tables[name].parameters:
            raise UnreadableError("SHOW PARTITIONS is refused")
        kept = self._place.world.metastore.kept.get(name, {})
        return [f"k={quote(values[0], safe=' ')}" for values in kept]

    def repair(self, table: str) -> None:
        name = named(table)
        self._place.register(name, self._tables[name].location or "")
        parameters = {**self._tables[name].parameters, PARTITION_PROVIDER: "catalog"}
        self._tables[name] = replace(self._tables[name], parameters=parameters)

    def read(self, table: str) -> dict[str, Any]:
        found = self._tables[named(table)]
        return self._rows(found, self._paths(found))

    def hold(self, table: str) -> None:
        found = self._tables[named(table)]
        self._held[table] = found, self._paths(found)

    def read_held(self, table: str) -> dict[str, Any]:
        return self._rows(*self._held.pop(table))

    @property
    def _tables(self) -> MutableMapping[TableName, TableEntry]:
        return self._place.world.metastore.tables

    def _paths(self, found: TableEntry) -> list[str]:
        """The files that Spark reads: the metastore's partitions decide where they are tracked."""
        files = self._place.files
        if PARTITION_PROVIDER not in found.parameters:
            return list(files(found.location or ""))
        kept = self._place.world.metastore.kept.get(found.name, {}).values()
        return [path for one in kept for path in files(one.location)]

    def _rows(self, found: TableEntry, paths: list[str]) -> dict[str, Any]:
        texts = self._place.world.storage.texts
        if not texts.keys() >= set(paths):
            raise UnreadableError(f"files of {found.location} are gone")
        fields = json.loads(found.parameters[SCHEMA])["fields"]
        columns = tuple((one["name"], one["type"]) for one in fields)
        return {"columns": columns, "rows": ordered(json.loads(texts[path]) for path in paths)}
