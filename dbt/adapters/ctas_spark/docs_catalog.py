"""Rows of dbt's catalog: with the comments that Spark describes, and as one of its tables."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import takewhile
from typing import Any

from dbt_common.contracts.metadata import CatalogTable, ColumnMetadata, StatsItem, TableMetadata

from dbt.adapters.ctas_spark.staging.statement.tables import details

STATS = "stats:"
HAS_STATS = StatsItem(
    id="has_stats",
    label="Has Stats?",
    value=False,
    include=False,
    description="Indicates whether there are statistics for this table",
)


def with_comments(
    rows: Iterable[Mapping[str, Any]], described: Iterable[Any]
) -> Iterator[dict[str, Any]]:
    """The catalog's rows of one relation with its comment and those of its columns.

    ``described`` are the rows of DESCRIBE EXTENDED: name, type and comment of each column, then,
    after a title, name and value of what else is known.
    """
    lines = list(described)
    columns = takewhile(lambda line: line[1], lines)  # a heading has no type, an odd name may be #
    comments = {name: comment or None for name, _, comment in columns}
    of_relation = details(lines).get("Comment") or None
    for row in rows:
        own = {"table_comment": of_relation, "column_comment": comments.get(row["column_name"])}
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
