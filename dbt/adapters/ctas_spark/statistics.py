"""The statistics of a published table in ``dbt docs``: what its job counted, in place of Spark's.

Spark has none for a partitioned table, and says "0 rows" for others: nobody told the metastore.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from multiprocessing.context import SpawnContext
from typing import TYPE_CHECKING, Any, cast

from dbt_common.contracts.metadata import CatalogTable

from dbt.adapters.base.relation import BaseRelation
from dbt.adapters.contracts.connection import AdapterRequiredConfig
from dbt.adapters.contracts.relation import RelationConfig
from dbt.adapters.ctas_spark import docs_catalog, operations
from dbt.adapters.ctas_spark.freshness import FreshnessAdapter
from dbt.adapters.ctas_spark.lookup import ANYTHING
from dbt.adapters.ctas_spark.staging.context import TableName, table_name
from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.staging.publish.marker import VERSION_ID

if TYPE_CHECKING:
    from dbt.adapters.ctas_spark.relation import CtasSparkRelation

LOCATION = re.compile(r"^Location: .*/([^/\s]+)\s*$", re.MULTILINE)
COUNTED = "counted when version {} was published"


def version_shown(information: str | None) -> str:
    """The last part of a table's location, which is its version's id if it has one.

    Its comment and properties, which may look like a location, come before it.
    """
    found = LOCATION.findall(information or "")
    return str(found[-1]) if found else ""


def with_figures(column: Mapping[str, Any], version: str, figures: WriteFigures) -> dict[str, Any]:
    """One column of dbt's catalog, which repeats the statistics of its table."""
    told = {key: one for key, one in column.items() if not key.startswith("stats:rows:")}
    for name, value in (("bytes", figures.bytes), ("rows", figures.rows)):
        if value is not None:
            told[f"stats:{name}:label"] = name
            told[f"stats:{name}:value"] = value
            told[f"stats:{name}:description"] = COUNTED.format(version)
            told[f"stats:{name}:include"] = True
    return told


class CountingAdapter(FreshnessAdapter):
    """Tells dbt's docs what the jobs of published versions counted."""

    def __init__(self, config: AdapterRequiredConfig, mp_context: SpawnContext) -> None:
        super().__init__(config, mp_context)
        self._models: dict[TableName, RelationConfig] = {}
        self._commented: set[TableName] = set()

    def get_catalog(
        self, relation_configs: Iterable[RelationConfig], used_schemas: frozenset[tuple[str, str]]
    ) -> Any:
        """The columns and statistics of every relation in the project's schemas, for dbt's docs."""
        nodes = list(relation_configs)
        self._models = {
            table_name(one.database, one.schema, one.identifier): one
            for one in nodes
            if one.resource_type in operations.RESOURCES
        }
        self._commented = {
            table_name(one.database, one.schema, one.identifier)
            for one in nodes
            if any((getattr(one.config, "persist_docs", None) or {}).values())
        }
        return super().get_catalog(nodes, used_schemas)

    def get_catalog_for_single_relation(self, relation: BaseRelation) -> CatalogTable | None:
        """The columns and statistics of one relation; None if it is not there."""
        asked = cast("CtasSparkRelation", relation).full_name
        listed = self.list_relations_without_caching(relation.without_identifier())
        known = (one for one in listed if cast("CtasSparkRelation", one).full_name == asked)
        if (found := next(known, None)) is None:
            return None
        rows = self._counted(found, super()._get_columns_for_catalog(found))
        return docs_catalog.table(docs_catalog.with_comments(rows, self.describe(found, ANYTHING)))

    def _get_columns_for_catalog(self, relation: BaseRelation) -> Iterator[dict[str, Any]]:
        columns = super()._get_columns_for_catalog(relation)
        table = cast("CtasSparkRelation", relation).full_name
        if table in self._commented:
            columns = docs_catalog.with_comments(columns, self.describe(relation, ANYTHING))
        model: Any = self._models.get(table)
        return columns if model is None else self._counted(relation, columns)

    def _counted(
        self, relation: BaseRelation, columns: Iterator[dict[str, Any]]
    ) -> Iterator[dict[str, Any]]:
        """With what the job of its version counted, if it shows one."""
        table = cast("CtasSparkRelation", relation).full_name
        version = version_shown(cast("CtasSparkRelation", relation).information)
        if not VERSION_ID.fullmatch(version):
            return columns
        figures = self.catalogs.figures(table, version)
        return (with_figures(column, version, figures) for column in columns)
