"""The clauses of CREATE TABLE that every catalog of Spark's connectors (DataSource V2) takes."""

import re
from collections.abc import Iterator, Mapping

from dbt.adapters.ctas_spark.staging import quoting
from dbt.adapters.ctas_spark.staging.context import TableLayout

TRANSFORM = re.compile(
    r"(?P<one>years?|months?|days?|date|hours?|date_hour)\s*\((?P<column>[^()]+)\)"
    r"|(?P<sized>bucket|truncate)\s*\((?P<first>[^(),]+),(?P<second>[^(),]+)\)",
    re.IGNORECASE,
)


def clauses(provider: str | None, layout: TableLayout, properties: Mapping[str, str]) -> str:
    """One clause a line; without a provider the catalog decides it."""
    return "\n".join(_clauses(provider, layout, properties))


def _clauses(
    provider: str | None, layout: TableLayout, properties: Mapping[str, str]
) -> Iterator[str]:
    if provider is not None:
        yield f"USING {provider}"
    if layout.partition_by:
        yield f"PARTITIONED BY ({', '.join(map(partition_field, layout.partition_by))})"
    if layout.comment is not None:
        yield f"COMMENT {quoting.string(layout.comment)}"
    if properties:
        yield f"TBLPROPERTIES {quoting.properties(properties)}"


def partition_field(text: str) -> str:
    """A column, or a transform of a column that Spark's grammar has; names are quoted."""
    found = TRANSFORM.fullmatch(text.strip())
    if found is None:
        return quoting.identifier(text)
    if found["one"]:
        return f"{found['one']}({_column(found['column'])})"
    first, second = found["first"].strip(), found["second"].strip()
    size, column = (first, second) if first.isdecimal() else (second, first)
    if not size.isdecimal():
        return quoting.identifier(text)
    return f"{found['sized']}({size}, {_column(column)})"


def _column(text: str) -> str:
    return quoting.identifier(quoting.unquoted(text))
