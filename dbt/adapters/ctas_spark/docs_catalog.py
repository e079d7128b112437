"""dbt's catalog, for its docs: with comments as Spark describes them, and statistics as counted.

Spark has none for a partitioned table, and says "0 rows" for others: nobody told the metastore.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import takewhile
from typing import Any, cast

from dbt_common.contracts.metadata import CatalogTable, ColumnMetadata, StatsItem, TableMetadata

from ctas_spark import quoting
from ctas_spark.context import TableName, table_name
from ctas_spark.engines.jvm import FAILURES
from ctas_spark.engines.protocol import UNKNOWN, WriteFigures
from ctas_spark.errors import StagingError
from ctas_spark.options import read_plan
from ctas_spark.publish.marker import VERSION_ID
from ctas_spark.retention.rules import Place
from ctas_spark.statement.tables import details
from dbt.adapters.contracts.relation import RelationConfig, RelationType
from dbt.adapters.ctas_spark import listed_at_once
from dbt.adapters.ctas_spark.invocation import Invocation
from dbt.adapters.ctas_spark.project import RESOURCES
from dbt.adapters.ctas_spark.relation import CtasSparkRelation
from dbt.adapters.ctas_spark.relations import ANYTHING, Relations

STATS = "stats:"
NESTED = ("array", "map", "struct")
LOCATION = re.compile(r"^Location: .*/([^/\s]+)\s*$", re.MULTILINE)
COUNTED = "counted when version {} was published"
HAS_STATS = StatsItem(
    id="has_stats",
    label="Has Stats?",
    value=False,
    include=False,
    description="Indicates whether there are statistics for this table",
)


class DocsCatalog:
    """The rows of each relation, by what dbt-spark reads of its ``shown`` information."""

    def __init__(
        self,
        invocation: Invocation,
        relations: Relations,
        shown: Callable[[CtasSparkRelation], Iterable[dict[str, Any]]],
    ) -> None:
        self._invocation = invocation
        self._relations = relations
        self._shown = shown
        self._published: dict[TableName, RelationConfig] = {}
        self._commented: set[TableName] = set()

    def expect(self, nodes: Iterable[RelationConfig]) -> None:
        """Note what the rows of these nodes are to tell."""
        for one in nodes:
            name = table_name(one.database, one.schema, one.identifier)
            if one.resource_type in RESOURCES:
                self._published[name] = one
            if any((getattr(one.config, "persist_docs", None) or {}).values()):
                self._commented.add(name)

    def rows(self, relation: CtasSparkRelation) -> Iterable[dict[str, Any]]:
        """One for each column; a function has none."""
        if relation.type == RelationType.Function:
            return ()
        rows: Iterable[dict[str, Any]] = [*self._columns(relation)]
        is_nested = any(one["column_type"] in NESTED for one in rows)
        if is_nested or relation.full_name in self._commented:
            rows = as_described(rows, self._relations.describe(relation, ANYTHING))
        is_published = relation.full_name in self._published
        return self._counted(relation, rows) if is_published else map(without_no_rows, rows)

    def table(self, relation: CtasSparkRelation) -> CatalogTable | None:
        """One relation, which has been listed."""
        rows = self._counted(relation, self._columns(relation))
        return table(as_described(rows, self._relations.describe(relation, ANYTHING)))

    def _columns(self, relation: CtasSparkRelation) -> Iterator[dict[str, Any]]:
        """Those that Spark shows; a comment or a property may look like more of them."""
        trusted = listed_at_once.without_texts(relation.information or "")
        for column in self._shown(relation.replace(information=trusted)):
            kind = quoting.sql_type(column["column_type"])
            yield {**column, "column_type": kind, "table_database": relation.database}

    def _counted(
        self, relation: CtasSparkRelation, rows: Iterable[dict[str, Any]]
    ) -> Iterable[dict[str, Any]]:
        """With what the job of its version counted, if it shows one."""
        version, figures = self._figures(relation)
        if not version:
            return map(without_no_rows, rows)
        return (with_figures(row, version, figures) for row in rows)

    def _figures(self, relation: CtasSparkRelation) -> tuple[str, WriteFigures]:
        """The version that a relation shows, and what is known of it; a Delta table lies in one."""
        if relation.is_iceberg or relation.is_delta:
            return self._in_history(relation.full_name)
        version = version_shown(relation.information)
        if not VERSION_ID.fullmatch(version):
            return "", UNKNOWN
        return version, self._invocation.catalogs.figures(relation.full_name, version)

    def _in_history(self, table: TableName) -> tuple[str, WriteFigures]:
        """What a format's own history says of the version that the table shows, if it is a node's.

        Nothing if statements have changed its rows since.
        """
        node = self._published.get(table)
        default = self._invocation.credentials.staging_schema
        if node is not None:
            with suppress(StagingError, *FAILURES):
                config = cast("Mapping[str, Any]", node.config)
                context = read_plan(node.name, config, "", table, default).context
                events = self._invocation.catalogs.catalog_for(context).history(context)
                live = next((one for one in events if one.state == Place.LIVE.value), None)
                if live is not None and not live.changed_in_place:
                    return live.version, WriteFigures(rows=live.rows, bytes=live.bytes)
        return "", UNKNOWN


def version_shown(information: str | None) -> str:
    """The last part of a table's location, which is its version's id if it has one.

    Its comment and properties, which may look like a location, come before it.
    """
    found = LOCATION.findall(information or "")
    return str(found[-1]) if found else ""


def without_no_rows(column: Mapping[str, Any]) -> dict[str, Any]:
    """One column without the "0 rows" that Spark says of a table whose rows nobody counted."""
    is_counted = column.get("stats:rows:value") != 0
    return {
        key: one for key, one in column.items() if is_counted or not key.startswith("stats:rows:")
    }


def with_figures(column: Mapping[str, Any], version: str, figures: WriteFigures) -> dict[str, Any]:
    """One column of dbt's catalog, which repeats the statistics of its table."""
    counted = {key: one for key, one in column.items() if not key.startswith("stats:rows:")}
    for name, value in (("bytes", figures.bytes), ("rows", figures.rows)):
        if value is not None:
            counted[f"stats:{name}:label"] = name
            counted[f"stats:{name}:value"] = value
            counted[f"stats:{name}:description"] = COUNTED.format(version)
            counted[f"stats:{name}:include"] = True
    return counted


def as_described(
    rows: Iterable[Mapping[str, Any]], described: Iterable[Any]
) -> Iterator[dict[str, Any]]:
    """The catalog's rows of one relation with its comment, and its columns' types and comments.

    A listing has the names of an Iceberg table's columns in lower case, and of nested types their
    kind alone. ``described`` are the rows of DESCRIBE EXTENDED: name, type and comment of each
    column, then, after a title, name and value of what else is known.
    """
    lines = list(described)
    columns = takewhile(lambda line: line[1], lines)  # a heading has no type, an odd name may be #
    known = {name.lower(): (name, kind, comment) for name, kind, comment in columns}
    of_relation = details(lines).get("Comment")
    for row in rows:
        name, kind, comment = known.get(row["column_name"].lower(), (None, None, None))
        own = {
            "table_comment": of_relation,
            "column_name": name,
            "column_type": kind,
            "column_comment": comment,
        }
        yield {**row, **{key: text for key, text in own.items() if text}}


def table(rows: Iterable[Mapping[str, Any]]) -> CatalogTable | None:
    """All rows of one relation as dbt's catalog has them; None if there are none."""
    columns, first = {}, None
    for row in rows:
        first = first or row
        columns[row["column_name"]] = ColumnMetadata(
            type=row["column_type"],
            index=row["column_index"],
            name=row["column_name"],
            comment=row.get("column_comment"),
        )
    if first is None:
        return None
    metadata = TableMetadata(
        type=str(first["table_type"]),
        schema=first["table_schema"],
        name=first["table_name"],
        database=first["table_database"],
        comment=first.get("table_comment"),
        owner=first.get("table_owner"),
    )
    return CatalogTable(metadata=metadata, columns=columns, stats=_stats(first))


def _stats(row: Mapping[str, Any]) -> dict[str, StatsItem]:
    names = [key.split(":")[1] for key in row if key.startswith(STATS) and key.endswith(":label")]
    found = {
        name: StatsItem(
            id=name,
            label=row[f"{STATS}{name}:label"],
            value=row[f"{STATS}{name}:value"],
            include=row[f"{STATS}{name}:include"],
            description=row[f"{STATS}{name}:description"],
        )
        for name in names
    }
    has = StatsItem(**{**HAS_STATS.to_dict(), "value": bool(found)})
    return {**found, "has_stats": has}
