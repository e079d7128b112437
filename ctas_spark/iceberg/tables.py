"""The tables of one Iceberg catalog, through the Java objects that Spark's own session uses."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from pyspark.sql import SparkSession

from .. import quoting
from ..clock import SYSTEM_CLOCK, Clock
from ..context import TableName, levels
from ..engines import calls, jvm
from ..engines.protocol import Engine
from ..errors import EntryMissingError, MetastoreError
from ..publish.ddl import without_rows
from ..publish.marker import CLONE
from .facts import EMPTY, TableFacts
from .loaded import ICEBERG, LoadedTable, NotIcebergError, UnsupportedError, core_errors
from .refusals import ELSEWHERE

NO_COLUMNS = '{"type":"struct","schema-id":0,"fields":[]}'
VIEWS = "org.apache.spark.sql.connector.catalog.ViewCatalog"
CACHE = f"{ICEBERG}.CachingCatalog"


class IcebergTables:
    """What staging needs of an Iceberg catalog; every call looks again, past all caches.

    Each call raises MetastoreError or one of its subclasses.
    """

    def __init__(self, spark: SparkSession, catalog: str) -> None:
        self.name = catalog
        self._spark = spark
        self.packages = jvm.classes(spark)
        self._iceberg = self.packages.org.apache.iceberg
        self._identifiers: dict[TableName, Any] = {}  # to make one takes some 15 calls
        self.has_forked = False
        with core_errors(f"load the catalog {catalog}"):
            jvm.activate(spark)
            self._catalog = self._iceberg.spark.Spark3Util.loadIcebergCatalog(
                jvm.session(spark), catalog
            )
            self._plugin = jvm.catalog_plugin(spark, catalog)

    @cached_property
    def settings(self) -> Mapping[str, str]:
        """What the catalog goes by, with what a REST server has sent it; empty if it does not say.

        Iceberg's own table builders read it so.
        """
        reflect, catalog = self.packages.org.apache.commons.lang3.reflect, self._catalog
        try:
            with core_errors(f"read the settings of the catalog {self.name}"):
                if str(catalog.getClass().getName()) == CACHE:
                    catalog = reflect.FieldUtils.readField(catalog, "catalog", True)
                found = reflect.MethodUtils.invokeMethod(catalog, True, "properties")
                return {str(key): str(value) for key, value in found.items()}
        except UnsupportedError:
            return {}

    def find(self, name: TableName) -> LoadedTable | None:
        """The table as it is now; None if the catalog says that there is none."""
        try:
            with core_errors(f"read {name}"):
                self._catalog.invalidateTable(self._identifier(name))
                return LoadedTable(self.packages, self._catalog.loadTable(self._identifier(name)))
        except EntryMissingError:
            return None

    def forget(self, name: TableName) -> None:
        """Have the next statement load the table again."""
        with core_errors(f"forget {name}"):
            self._catalog.invalidateTable(self._identifier(name))

    def history(self, name: TableName) -> TableFacts:
        """What the table's metadata says; that of nothing without an Iceberg table."""
        try:
            found = self.find(name)
        except NotIcebergError:
            return EMPTY
        return found.facts if found is not None else EMPTY

    def drop_branch(self, name: TableName, branch: str) -> None:
        """Drop a branch, if it is there; its snapshots go when Iceberg expires them."""
        found = self.find(name)
        if found is not None and branch in found.facts.branches:
            found.drop_branch(branch)

    def has_view(self, name: TableName) -> bool:
        """True if a view that Iceberg keeps is in the place of the table."""
        if not self.packages.java.lang.Class.forName(VIEWS).isInstance(self._plugin):
            return False
        identifier = self.packages.org.apache.spark.sql.connector.catalog.Identifier
        try:
            with core_errors(f"look for a view {name}"):
                path = identifier.of(self._path(name.database), name.table)
                return bool(self._plugin.viewExists(path))
        except UnsupportedError:  # a jdbc catalog without jdbc.schema-version V1 has no views
            return False

    def is_clone(self, name: TableName) -> bool:
        """True if what is there is a view that dbt clone has made."""
        asked = f"SHOW TBLPROPERTIES {quoting.table(name)}"
        with suppress(MetastoreError):  # what can't be read stays where it is
            return any(row["key"] == CLONE for row in self.run(f"read {name}", asked))
        return False

    def drop_view(self, name: TableName) -> None:
        """Drop a view, if it is there; Spark refuses to drop a table so."""
        self.run(f"drop the view {name}", f"DROP VIEW IF EXISTS {quoting.table(name)}")

    def location_of_new(self, name: TableName) -> str:
        """Where the catalog would put a table of that name; nothing is created."""
        with core_errors(f"find the place of {name}"):
            return str(self._builder(name).createTransaction().table().location())

    def create_empty(
        self, name: TableName, location: str, properties: Mapping[str, str]
    ) -> LoadedTable:
        """Create a table without columns."""
        with core_errors(f"create {name}"):
            builder = self._builder(name).withLocation(location).withProperties(dict(properties))
            return LoadedTable(self.packages, builder.create())

    def register(self, name: TableName, metadata_location: str) -> LoadedTable:
        """Give a metadata file one more name."""
        with core_errors(f"register {name}"):
            made = self._catalog.registerTable(self._identifier(name), metadata_location)
            return LoadedTable(self.packages, made)

    def rename(self, name: TableName, to: TableName) -> None:
        """Give a table another name; its metadata stays where it is."""
        with core_errors(f"rename {name} to {to}"):
            self._catalog.renameTable(self._identifier(name), self._identifier(to))

    def drop_entry(self, name: TableName) -> None:
        """Remove a name, and keep all files that it leads to."""
        with core_errors(f"drop the entry {name}"):
            self._catalog.dropTable(self._identifier(name), False)
            self._catalog.invalidateTable(self._identifier(name))

    def tables(self, namespace: str) -> tuple[TableName, ...]:
        """The tables of a namespace."""
        with core_errors(f"list the tables of {namespace}"):
            found = self._catalog.listTables(self._namespace(namespace))
            return tuple(TableName(namespace, str(one.name()), self.name) for one in found)

    def has_namespace(self, namespace: str) -> bool:
        with core_errors(f"look for the namespace {namespace}"):
            return bool(self._plugin.namespaceExists(self._path(namespace)))

    def write_metadata(self, text: str, like: LoadedTable, path: str) -> None:
        """Write a metadata file to the storage of ``like``; it has no name yet."""
        with core_errors(f"write {path}"):
            parser = self._iceberg.TableMetadataParser
            metadata = parser.fromJson(text)
            parser.write(metadata, like.operations.io().newOutputFile(path))

    def shows_files_of(self, name: TableName, version: str) -> bool:
        """True if a snapshot that is kept needs a file below a version's directories.

        One job, which reads all manifests of the table.
        """
        table, below = quoting.table(name), quoting.string(f"/{version}/")
        places = {"all_files": "file_path", "all_manifests": "path", "snapshots": "manifest_list"}
        parts = (
            f"SELECT 1 FROM {table}.{listed} WHERE contains({path}, {below})"  # noqa: S608 (quoted)
            for listed, path in places.items()
        )
        with core_errors(f"read the manifests of {name}"):
            self._catalog.invalidateTable(self._identifier(name))
            return bool(self._spark.sql(f"{' UNION ALL '.join(parts)} LIMIT 1").collect())

    def run(self, action: str, query: str) -> Sequence[Mapping[str, Any]]:
        """The rows of a query of Spark's; ``action`` completes "could not" in the error."""
        with calls.core_errors(action):
            return [row.asDict() for row in self._spark.sql(query).collect()]

    def schema_of(self, query: str) -> Mapping[str, Any]:
        """The schema that a table made from the query would have; the query does not run."""
        with calls.core_errors("read the columns of its query"):
            columns = self._spark.sql(without_rows(query))._jdf.schema()  # noqa: SLF001 (PySpark's)
            schema = self._iceberg.spark.SparkSchemaUtil.convert(columns)
            found: Mapping[str, Any] = json.loads(str(self._iceberg.SchemaParser.toJson(schema)))
            return found

    def writes_elsewhere(self) -> str:
        """The setting by which the session's writes to a table in WAP mode go elsewhere."""
        return next((one for one in ELSEWHERE if self._spark.conf.get(one, None)), "")

    def all_tables(self) -> Iterator[TableName]:
        """Every table of every namespace, however deep."""
        with core_errors(f"list the namespaces of {self.name}"):
            found = [".".join(path) for path in self._namespaces_below()]
        for namespace in found:
            yield from self.tables(namespace)

    def _namespaces_below(self, *parent: str) -> Iterator[tuple[str, ...]]:
        path = jvm.strings(self._spark, *parent)
        for one in self._plugin.listNamespaces(path) if parent else self._plugin.listNamespaces():
            below = tuple(map(str, one))
            yield below
            yield from self._namespaces_below(*below) if len(below) > len(parent) else ()

    def _identifier(self, name: TableName) -> Any:
        if name not in self._identifiers:
            of = jvm.member(self.packages, f"{ICEBERG}.catalog.TableIdentifier.of")
            self._identifiers[name] = of(self._namespace(name.database), name.table)
        return self._identifiers[name]

    def _namespace(self, name: str) -> Any:
        return self._iceberg.catalog.Namespace.of(self._path(name))

    def _path(self, namespace: str) -> Any:
        return jvm.strings(self._spark, *levels(self.name, namespace))

    def _builder(self, name: TableName) -> Any:
        no_columns = self._iceberg.SchemaParser.fromJson(NO_COLUMNS)
        return self._catalog.buildTable(self._identifier(name), no_columns)


@dataclass(frozen=True, slots=True)
class IcebergServices:
    """What staging works with in an Iceberg catalog; put together once."""

    tables: IcebergTables
    engine: Engine
    clock: Clock = SYSTEM_CLOCK
