"""The statements of a publication; all of them are built here."""

from collections.abc import Iterator, Mapping

from dbt.adapters.ctas_spark.staging import quoting
from dbt.adapters.ctas_spark.staging.context import TableLayout, TableName


def create_table_as(
    name: TableName, location: str, layout: TableLayout, own: Mapping[str, str], query: str
) -> str:
    """The CTAS of a version; ``own`` are our properties beside the model's.

    USING is always written out: without it Spark 3.5 makes a text table.
    """
    properties = {**layout.properties, **own}
    clauses = "\n".join(_clauses(layout, location, properties))
    return f"CREATE TABLE {quoting.table(name)}\n{clauses}\nAS\n{query}"


def _clauses(layout: TableLayout, location: str, properties: Mapping[str, str]) -> Iterator[str]:
    yield f"USING {quoting.identifier(layout.file_format)}"
    if layout.options:
        yield f"OPTIONS {quoting.properties(layout.options)}"
    if layout.partition_by:
        yield f"PARTITIONED BY ({quoting.identifiers(layout.partition_by)})"
    if layout.clustered_by and layout.buckets is None:
        yield f"CLUSTER BY ({quoting.identifiers(layout.clustered_by)})"
    elif layout.clustered_by:
        yield _buckets(layout)
    yield f"LOCATION {quoting.string(location)}"
    if layout.comment is not None:
        yield f"COMMENT {quoting.string(layout.comment)}"
    if properties:
        yield f"TBLPROPERTIES {quoting.properties(properties)}"


def _buckets(layout: TableLayout) -> str:
    columns = quoting.identifiers(layout.clustered_by)
    order = f"SORTED BY ({quoting.identifiers(layout.sorted_by)}) " if layout.sorted_by else ""
    return f"CLUSTERED BY ({columns}) {order}INTO {layout.buckets} BUCKETS"


def without_rows(query: str) -> str:
    """The query's columns and no row: Spark plans it without running it."""
    return f"SELECT * FROM (\n{query}\n) LIMIT 0"  # noqa: S608 (the model's own query)


def insert_into(name: TableName, query: str) -> str:
    """Add the query's rows to a table by the names of its columns: partition columns moved last."""
    return f"INSERT INTO {quoting.table(name)} BY NAME\n{query}"


def create_schema(name: str, comment: str) -> str:
    """Make a schema if it is not there."""
    return (
        f"CREATE SCHEMA IF NOT EXISTS {quoting.identifier(name)} COMMENT {quoting.string(comment)}"
    )
