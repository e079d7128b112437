"""The tables of a catalog, through the interface that Spark itself asks it by."""

from collections.abc import Mapping
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging import quoting
from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.engines import jvm
from dbt.adapters.ctas_spark.staging.errors import EntryMissingError
from dbt.adapters.ctas_spark.staging.statement.calls import (
    NamespaceMissingError,
    core_errors,
    java_class,
)
from dbt.adapters.ctas_spark.staging.statement.client import A_VIEW, TableFacts
from dbt.adapters.ctas_spark.staging.statement.staged_change import Stage, StagedChange

LOCATION = "location"
CONNECTOR = "org.apache.spark.sql.connector.catalog."
STAGING = f"{CONNECTOR}StagingTableCatalog"
VIEWS = f"{CONNECTOR}ViewCatalog"
UNSUPPORTED = "UnsupportedOperationException"
WITH_VERSIONS = (4, 1)
"""The Spark whose tables have an id and a version."""


class CatalogTables:
    """A ``TableClient`` through the driver's JVM, with the catalog's own staging beside it."""

    def __init__(self, spark: SparkSession, catalog: str) -> None:
        self.name = catalog
        self._spark = spark
        self._packages = jvm.classes(spark)
        major, minor = spark.version.split(".")[:2]
        self._has_versions = (int(major), int(minor)) >= WITH_VERSIONS
        with core_errors(f"load the catalog {catalog}"):
            jvm.activate(spark)
            self._plugin = jvm.catalog_plugin(spark, catalog)

    @property
    def implementation(self) -> str:
        """The catalog's class."""
        return str(self._plugin.getClass().getName())

    @property
    def stages(self) -> bool:
        """True if the catalog says that it stages: where it does not, Spark drops and creates."""
        return self._is_a(STAGING)

    def find(self, name: TableName) -> TableFacts | None:
        """The table as it is now; None if the catalog says that there is none."""
        try:
            with core_errors(f"read {name}"):
                self._plugin.invalidateTable(self._identifier(name))
                return self._facts(self._plugin.loadTable(self._identifier(name)))
        except (EntryMissingError, NamespaceMissingError):
            return None

    def exists(self, name: TableName) -> bool:
        """True if the catalog has a table of that name."""
        return self.find(name) is not None

    def obstacle(self, name: TableName) -> str:
        """A view of the catalog's own; nothing else can be in the place of a table."""
        if not self._is_a(VIEWS):
            return ""
        with core_errors(f"look for a view {name}"):
            return A_VIEW if self._plugin.viewExists(self._identifier(name)) else ""

    def rows(self, name: TableName) -> tuple[tuple[object, ...], ...] | None:
        """Names of the columns, then all rows; None if there is no such table."""
        try:
            with core_errors(f"read the rows of {name}"):
                self._plugin.invalidateTable(self._identifier(name))
                found = self._spark.sql(f"SELECT * FROM {quoting.table(name)}")  # noqa: S608 (quoted)
                return (tuple(found.columns), *map(tuple, found.collect()))
        except EntryMissingError:
            return None

    def tables(self, namespace: str) -> tuple[TableName, ...]:
        """The tables of a namespace."""
        with core_errors(f"list the tables of {namespace}"):
            found = self._plugin.listTables(self._path(namespace))
            return tuple(TableName(namespace, str(one.name()), self.name) for one in found)

    def has_namespace(self, namespace: str) -> bool:
        """True if the namespace is there."""
        with core_errors(f"look for the namespace {namespace}"):
            return bool(self._plugin.namespaceExists(self._path(namespace)))

    def namespace_location(self, namespace: str) -> str | None:
        """The directory of a namespace; None if the catalog does not say it."""
        with core_errors(f"read the namespace {namespace}"):
            found = self._plugin.loadNamespaceMetadata(self._path(namespace)).get(LOCATION)
            return None if found is None else str(found)

    def drop(self, name: TableName) -> None:
        """Drop a table of ours, with its files where the catalog can; never a target."""
        with core_errors(f"drop {name}"):
            identifier = self._identifier(name)
            try:
                self._plugin.purgeTable(identifier)
            except (Py4JError, PySparkException) as error:
                if UNSUPPORTED not in java_class(error):
                    raise
                self._plugin.dropTable(identifier)
            self._plugin.invalidateTable(identifier)

    def stage(
        self,
        how: Stage,
        name: TableName,
        query: str,
        like: TableName | None,
        own: Mapping[str, str],
    ) -> StagedChange:
        """Stage a change of ``name`` with the query's columns; nobody sees it.

        Args:
            like: the table whose partitioning it gets; None for one without partitions.
            own: its properties.
        """
        with core_errors(f"stage {name}"):
            transforms = self._no_transforms()
            if like is not None:
                transforms = self._plugin.loadTable(self._identifier(like)).partitioning()
            properties = self._packages.java.util.HashMap()
            for key, value in own.items():
                properties.put(key, value)
            change = StagedChange(self._spark, self._plugin, self._identifier(name), query)
            change.stage(how, transforms, properties, as_info=self._has_versions)
            return change

    def _facts(self, table: Any) -> TableFacts:
        utilities = self._packages.org.apache.spark.sql.connector.catalog.CatalogV2Util
        versioned = self._has_versions
        return TableFacts(
            id=str(table.id() or "") if versioned else "",
            version=str(table.version() or "") if versioned else "",
            columns=str(utilities.v2ColumnsToStructType(table.columns()).json()),
            partitioning=tuple(str(one.describe()) for one in table.partitioning()),
            properties={str(key): str(value) for key, value in table.properties().items()},
        )

    def _is_a(self, interface: str) -> bool:
        return bool(self._packages.java.lang.Class.forName(interface).isInstance(self._plugin))

    def _identifier(self, name: TableName) -> Any:
        identifier = self._packages.org.apache.spark.sql.connector.catalog.Identifier
        return identifier.of(self._path(name.database), name.table)

    def _path(self, namespace: str) -> Any:
        return jvm.strings(self._spark, namespace)

    def _no_transforms(self) -> Any:
        transform = self._packages.org.apache.spark.sql.connector.expressions.Transform
        return jvm.array(self._spark, transform)
