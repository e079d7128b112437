"""The contract on tables of formats that commit by themselves."""

import json
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

from pyspark.sql import SparkSession

from contract import file_tables
from contract.entry_clients import JvmClient
from contract.format_clients import (
    DeltaClient,
    DeltaLog,
    IcebergClient,
    in_directories,
    in_hive,
    in_sqlite,
    over_rest,
)
from contract.places import Entry, Run
from contract.rivals import in_a_thread
from contract.spark_place import SCHEMA, STAGING, SparkPlace, make_schemas, path_of
from ctas_spark.context import SESSION_CATALOG, TableName
from ctas_spark.delta import transaction
from ctas_spark.files.directories import FOLDER
from ctas_spark.iceberg.tables import IcebergTables
from ctas_spark.iceberg.version import IcebergVersion
from ctas_spark.publish.marker import VERSION, VERSION_ID
from ctas_spark.publish.staged_table import StagedTable
from ctas_spark.statement.tables import SqlTables
from ctas_spark.statement.version import StatementVersion
from servers.iceberg_rest import OPEN

HIVE, JDBC, REST, HADOOP = "hive", "jdbc", "rest", "hadoop"


class FormatPlace(SparkPlace, ABC):
    """What is staged lies in the target's directory, and is named after its version."""

    def left_beside(self, live: StagedTable[Any]) -> list[str]:
        """What the format's own log names stays: its history needs that."""
        records = [name for name in self.records() if name.startswith(f"{live.target.table}__")]
        named = set(VERSION_ID.findall(self._log_of(live.target)))
        found = (path for path in self._files_below(live.target) if VERSION_ID.search(path))
        return [*records, *(path for path in found if _version_of(path) not in named)]

    @abstractmethod
    def _log_of(self, target: TableName) -> str:
        """The log, or the metadata file, as text; and the directory, which is a version's, too."""

    def forget(self, target: TableName) -> None:
        if self.entry(target) is not None:
            self.others.drop(str(target))

    def files_of(self, staged: StagedTable[Any]) -> list[str]:
        return [path for path in self._files_below(staged.target) if staged.version in path]

    def _files_below(self, target: TableName) -> Iterator[str]:
        """Those of its own directory, and those of its versions that lie next to others."""
        for own in (target.table, f"{FOLDER}/*/{SCHEMA}.{target.table}"):
            for directory in self._warehouse.glob(f"{SCHEMA}*/{own}"):
                yield from (str(path) for path in directory.rglob("*") if path.is_file())


class IcebergPlace(FormatPlace):
    """Each publication is one commit of a version; entries are dropped of what is staged."""

    def left_beside(self, live: StagedTable[Any]) -> list[str]:
        """Branches of ours, too: main needs none."""
        return [*super().left_beside(live), *self._branches_of(live.target)]

    def _branches_of(self, target: TableName) -> list[str]:
        entry = self.entry(target)
        assert entry is not None
        refs = json.loads(path_of(entry.whole).read_text())["refs"]
        return [name for name in refs if VERSION_ID.search(name)]

    def _log_of(self, target: TableName) -> str:
        entry = self.entry(target)
        assert entry is not None
        return f"{entry.directory} {path_of(entry.whole).read_text()}"

    def partitions(self, target: TableName, entry: Entry) -> tuple[str, ...]:  # noqa: ARG002
        read = self.others.read(f"{target}.partitions")
        if read["columns"][0][0] != "partition":
            return ()
        return tuple(sorted(row[0].k for row in read["rows"]))

    def calls(self, run: Run) -> Sequence[tuple[object, str]]:  # noqa: ARG002 (of all runs)
        return [(IcebergVersion, "publish"), (IcebergTables, "drop_entry")]


class HadoopPlace(IcebergPlace):
    """A version is a table of its own in the staging schema; a statement copies it."""

    def left_beside(self, live: StagedTable[Any]) -> list[str]:
        """What earlier snapshots keep in the target is the format's own business."""
        records = [name for name in self.records() if name.startswith(f"{live.target.table}__")]
        return [*records, *self._staged_for(live.target), *self._branches_of(live.target)]

    def files(self, directory: str) -> Mapping[str, object]:
        """Without the hint at the newest metadata, which each commit writes again."""
        found = super().files(directory).items()
        return {path: stat for path, stat in found if "version-hint.text" not in path}

    def files_of(self, staged: StagedTable[Any]) -> list[str]:
        """Its own, and the target's where that says that it is its copy."""
        own = [path for path in self._staged_for(staged.target) if staged.version in path]
        entry = self.entry(staged.target)
        if entry is None or entry.parameters.get(VERSION) != staged.version:
            return own
        return [*own, *self._files_below(staged.target)]

    def _staged_for(self, target: TableName) -> list[str]:
        found = self._warehouse.glob(f"{STAGING}/{target.table}__*/**/*")
        return [str(path) for path in found if path.is_file()]

    def calls(self, run: Run) -> Sequence[tuple[object, str]]:  # noqa: ARG002 (of all runs)
        return [(StatementVersion, "publish"), (SqlTables, "drop")]


class DeltaPlace(FormatPlace):
    """A first version is created as any table of files; others are transactions."""

    def partitions(self, target: TableName, entry: Entry) -> tuple[str, ...]:  # noqa: ARG002
        files = DeltaLog.read(entry.directory).files.values()
        return tuple(sorted({values["k"] for values in files if values}))

    def left_beside(self, live: StagedTable[Any]) -> list[str]:
        """The record stays of the version in whose directory all later ones are."""
        entry = self.entry(live.target)
        assert entry is not None
        first = f"{live.target.table}__{Path(entry.directory).name}"
        return [left for left in super().left_beside(live) if left != first]

    def _log_of(self, target: TableName) -> str:
        entry = self.entry(target)
        assert entry is not None
        return f"{entry.directory} {DeltaLog.text_of(entry.directory)}"

    def calls(self, run: Run) -> Sequence[tuple[object, str]]:
        return [*file_tables.calls(run, STAGING), (transaction, "publish")]


@contextmanager
def delta(spark: SparkSession, directory: Path) -> Iterator[DeltaPlace]:
    """Delta's session catalog; its staged first versions lie in the warehouse, too."""
    client = DeltaClient(spark)
    make_schemas(spark)
    with in_a_thread(spark, STAGING) as others:
        yield DeltaPlace("delta", spark, directory / "warehouse", others, client)
    client.close()


@contextmanager
def iceberg(name: str, spark: SparkSession, directory: Path) -> Iterator[IcebergPlace]:
    """The Iceberg catalog of a place's name, ``iceberg_`` apart."""
    kind = name.removeprefix("iceberg_")
    catalog = SESSION_CATALOG if kind == "session" else kind
    make_schemas(spark, catalog)
    own = {JDBC: f"{JDBC}-warehouse", REST: f"{REST}/{OPEN}", HADOOP: HADOOP}
    place = HadoopPlace if kind == HADOOP else IcebergPlace
    warehouse = directory / own.get(kind, "warehouse")
    with in_a_thread(spark, STAGING) as others:
        client = _client(catalog, spark, directory)
        yield place(name, spark, warehouse, others, client, catalog)
        client.close()


def _client(catalog: str, spark: SparkSession, directory: Path) -> IcebergClient:
    if catalog == JDBC:
        return in_sqlite(directory / f"{JDBC}.sqlite", JDBC)
    if catalog == REST:
        return over_rest(urlparse(str(spark.conf.get(f"spark.sql.catalog.{REST}.uri"))).netloc)
    if catalog == HADOOP:
        return in_directories(directory / HADOOP)
    return in_hive(JvmClient(spark))


def _version_of(path: str) -> str:
    """The version that a file was staged for: its directory's, which may lie in another's."""
    return str(VERSION_ID.findall(path)[-1])
