"""A table's entry and the ``CatalogTable`` of Spark's in-memory catalog."""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from pyspark.sql.types import StructField, StructType

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.metastore.client import EntryChange
from dbt.adapters.ctas_spark.staging.metastore.entry import VIEW, TableEntry
from dbt.adapters.ctas_spark.staging.metastore.jvm import scala

PARTITION_PROVIDER = "spark.sql.partitionProvider"
TRACKED = "catalog"
NOT_STORED = frozenset((PARTITION_PROVIDER, "transient_lastDdlTime"))
"""Hive's parameters that are a flag here, or that nobody keeps up to date."""
EXTERNAL = "EXTERNAL"
HIVE_TYPES: Mapping[str, str] = MappingProxyType(
    {EXTERNAL: "EXTERNAL_TABLE", "MANAGED": "MANAGED_TABLE"}
)
MILLISECONDS = 1000


def entry_of(java: Any, name: TableName, table: Any) -> TableEntry:
    """The entry as Hive would tell it, with the whole object as its ``raw``."""
    location = table.storage().locationUri()
    paths = java.org.apache.spark.sql.catalyst.catalog.CatalogUtils
    columns = _columns(table)
    return TableEntry(
        name=name,
        table_type=HIVE_TYPES.get(table.tableType().name(), VIEW),
        location=str(paths.URIToString(location.get())) if location.isDefined() else None,
        columns=tuple((one.name, one.dataType.simpleString()) for one in columns),
        partition_keys=scala.as_tuple(java, table.partitionColumnNames()),
        create_time=int(table.createTime()) // MILLISECONDS,
        parameters=_parameters(java, table),
        raw=table,
        comments={one.name: text for one in columns if (text := one.metadata.get("comment"))},
    )


def changed(java: Any, change: EntryChange, name: TableName) -> Any:
    """A copy of the staged table under this name, with the base's own fields.

    There is one schema only, Spark's own: other columns or keys would change what is read.
    """
    staged: Any = change.staged.raw
    base: Any = change.base.raw if change.base else staged
    stored = {key: value for key, value in change.parameters.items() if key not in NOT_STORED}
    return scala.copied(
        staged,
        identifier=_identifier(java, staged, name),
        owner=base.owner(),
        createTime=base.createTime(),
        properties=scala.mapping(java, stored),
        tracksPartitionsInCatalog=change.parameters.get(PARTITION_PROVIDER) == TRACKED,
    )


def external(java: Any, table: Any) -> Any:
    """The same table with data of its own keeping: the catalog deletes that of a managed one."""
    kinds = java.org.apache.spark.sql.catalyst.catalog.CatalogTableType
    return scala.copied(table, tableType=kinds.EXTERNAL())


def untracked(table: Any) -> Any:
    """The same table, whose partitions Spark finds in its directories."""
    return scala.copied(table, tracksPartitionsInCatalog=False)


def _identifier(java: Any, staged: Any, name: TableName) -> Any:
    database = scala.some(java, name.database)
    return scala.copied(staged.identifier(), table=name.table, database=database)


def _columns(table: Any) -> list[StructField]:
    return StructType.fromJson(json.loads(table.dataSchema().json())).fields


def _parameters(java: Any, table: Any) -> dict[str, str]:
    tracked = {PARTITION_PROVIDER: TRACKED} if table.tracksPartitionsInCatalog() else {}
    return {**scala.as_dict(java, table.properties()), **tracked}
