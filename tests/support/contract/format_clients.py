"""Entries of Iceberg and Delta tables, as a client sees them that is not the product's.

A catalog points to a metadata file, or a directory to a log; both are JSON and read without Spark.
"""

import json
import sqlite3
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import urlopen

from contract.entry_clients import PROVIDER, JvmClient
from contract.places import Entry
from contract.spark_place import path_of
from ctas_spark.context import TableName
from ctas_spark.publish.marker import PREFIX

NOT_FOUND = 404
VIEW = Entry({}, "", is_view=True, create_time=0, owner=None, whole="a view")


@dataclass(frozen=True, slots=True)
class DeltaLog:
    """What the commits of a log add up to."""

    number: int
    metadata: Mapping[str, Any]
    files: Mapping[str, Mapping[str, str]]

    @classmethod
    def read(cls, directory: str) -> "DeltaLog":
        """All commits, none of which is old enough to be gone."""
        metadata: Mapping[str, Any] = {}
        files: dict[str, Mapping[str, str]] = {}
        for action in map(json.loads, cls.text_of(directory).splitlines()):
            metadata = action.get("metaData", metadata)
            if "add" in action:
                files[action["add"]["path"]] = action["add"]["partitionValues"]
            if "remove" in action:
                files.pop(action["remove"]["path"], None)
        return cls(len(_commits_in(directory)) - 1, metadata, files)

    @staticmethod
    def text_of(directory: str) -> str:
        """All actions, one a line."""
        return "\n".join(commit.read_text().strip() for commit in _commits_in(directory))


def _commits_in(directory: str) -> list[Path]:
    return sorted((path_of(directory) / "_delta_log").glob("*.json"))


class DeltaClient(JvmClient):
    """The metastore's entry, and the properties that the table's log has.

    What Delta copies from the log into the entry it copies later, by a thread of its own.
    """

    def entry(self, target: TableName) -> Entry | None:
        found = super().entry(target)
        if found is None or found.parameters.get(PROVIDER) != "delta":
            return found
        log = DeltaLog.read(found.directory)
        parameters = {**found.parameters, **log.metadata["configuration"]}
        ours = {key: value for key, value in found.parameters.items() if key.startswith(PREFIX)}
        whole = (ours, found.directory, found.create_time, log.number, log.metadata)
        return replace(found, parameters=parameters, whole=whole)


@dataclass(frozen=True, slots=True)
class Pointer:
    """What an Iceberg catalog says of a name: a table's metadata file, or that it is a view's."""

    metadata_location: str
    is_view: bool = False


class IcebergClient:
    """Reads the metadata file that ``pointer`` finds; ``names`` are those of a namespace."""

    def __init__(
        self,
        pointer: Callable[[TableName], Pointer | None],
        names: Callable[[str], list[str]],
    ) -> None:
        self._pointer = pointer
        self._names = names

    def entry(self, target: TableName) -> Entry | None:
        found = self._pointer(target)
        if found is None or found.is_view:
            return VIEW if found else None
        metadata = json.loads(path_of(found.metadata_location).read_text())
        return Entry(
            parameters={**metadata.get("properties", {}), PROVIDER: "iceberg"},
            directory=metadata["location"],
            is_view=False,
            create_time=0,
            owner=None,
            whole=found.metadata_location,
        )

    def tables(self, schema: str) -> list[str]:
        return self._names(schema)

    def close(self) -> None:
        """No connection is kept."""


def in_hive(client: JvmClient) -> IcebergClient:
    """The metadata file stands in the metastore's entry."""

    def pointer(target: TableName) -> Pointer | None:
        found = client.entry(target)
        if found is None:
            return None
        return Pointer(found.parameters.get("metadata_location", ""), found.is_view)

    return IcebergClient(pointer, client.tables)


def in_sqlite(database: Path, catalog: str) -> IcebergClient:
    """The metadata file stands in a table of the jdbc catalog's database."""

    def rows(columns: str, where: Mapping[str, str]) -> list[tuple[str, ...]]:
        wanted = {"catalog_name": catalog, **where}
        condition = " AND ".join(f"{column} = ?" for column in wanted)
        query = f"SELECT {columns} FROM iceberg_tables WHERE {condition}"
        with closing(sqlite3.connect(database)) as connection:
            return connection.execute(query, tuple(wanted.values())).fetchall()

    def pointer(target: TableName) -> Pointer | None:
        where = {"table_namespace": target.database, "table_name": target.table}
        found = rows("metadata_location, iceberg_type", where)
        return Pointer(found[0][0], found[0][1] == "VIEW") if found else None

    return IcebergClient(
        pointer, lambda schema: [row[0] for row in rows("table_name", {"table_namespace": schema})]
    )


def in_directories(warehouse: Path) -> IcebergClient:
    """A hadoop catalog's table is a directory; its newest metadata file has the highest number."""

    def metadata_of(table: Path) -> list[Path]:
        found = table.glob("metadata/v*.metadata.json")
        return sorted(found, key=lambda path: int(path.name.split(".")[0].removeprefix("v")))

    def pointer(target: TableName) -> Pointer | None:
        found = metadata_of(warehouse / target.database / target.table)
        return Pointer(str(found[-1])) if found else None

    def names(schema: str) -> list[str]:
        return [path.name for path in (warehouse / schema).glob("*") if metadata_of(path)]

    return IcebergClient(pointer, names)


def over_rest(server: str) -> IcebergClient:
    """The server answers with the metadata file's place."""

    def ask(path: str) -> dict[str, Any] | None:
        try:
            with urlopen(f"http://{server}/v1/namespaces/{path}") as answer:
                return dict(json.load(answer))
        except HTTPError as error:
            if error.code == NOT_FOUND:
                return None
            raise

    def pointer(target: TableName) -> Pointer | None:
        found = ask(f"{target.database}/tables/{target.table}")
        if found is not None:
            return Pointer(found["metadata-location"])
        view = ask(f"{target.database}/views/{target.table}")
        return Pointer(view["metadata-location"], is_view=True) if view else None

    def names(schema: str) -> list[str]:
        found = ask(f"{schema}/tables") or {"identifiers": []}
        return [one["name"] for one in found["identifiers"]]

    return IcebergClient(pointer, names)
