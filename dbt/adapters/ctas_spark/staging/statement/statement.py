"""The statements of a publication by statement: one stages, one publishes, none drops a target."""

from collections.abc import Mapping

from dbt.adapters.ctas_spark.staging import quoting
from dbt.adapters.ctas_spark.staging.context import TableLayout, TableName
from dbt.adapters.ctas_spark.staging.publish.v2_clauses import clauses


def create_as(
    name: TableName, layout: TableLayout, properties: Mapping[str, str], query: str
) -> str:
    """Create a table that must not be there."""
    return _as("CREATE TABLE", name, layout, properties, query)


def replace_as(
    name: TableName, layout: TableLayout, properties: Mapping[str, str], query: str
) -> str:
    """Replace a table that must be there."""
    return _as("REPLACE TABLE", name, layout, properties, query)


def all_of(name: TableName) -> str:
    """Every row of a table."""
    return f"SELECT * FROM {quoting.table(name)}"  # noqa: S608 (quoted)


def _as(
    verb: str, name: TableName, layout: TableLayout, properties: Mapping[str, str], query: str
) -> str:
    provider = provider_of(layout)
    using = None if provider is None else quoting.identifier(provider)
    said = clauses(using, layout, {**layout.properties, **properties})
    return f"{verb} {quoting.table(name)}\n{said}\nAS\n{query}"


def provider_of(layout: TableLayout) -> str | None:
    """What USING names; None if the model names no format: the catalog has one."""
    return layout.file_format if layout.format_given else None
