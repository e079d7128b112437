"""The statement that fills a fork."""

import re
from collections.abc import Iterator, Mapping

from dbt.adapters.ctas_spark.staging import quoting
from dbt.adapters.ctas_spark.staging.context import TableLayout, TableName

TRANSFORM = re.compile(
    r"(?P<one>years?|months?|days?|date|hours?|date_hour)\s*\((?P<column>[^()]+)\)"
    r"|(?P<sized>bucket|truncate)\s*\((?P<first>[^(),]+),(?P<second>[^(),]+)\)",
    re.IGNORECASE,
)


def replace_fork_as(
    fork: TableName, layout: TableLayout, properties: Mapping[str, str], query: str
) -> str:
    """CREATE OR REPLACE of a fork that is there: Iceberg builds on what it was forked from."""
    clauses = "\n".join(_clauses(layout, properties))
    return f"CREATE OR REPLACE TABLE {quoting.table(fork)}\n{clauses}\nAS\n{query}"


def _clauses(layout: TableLayout, properties: Mapping[str, str]) -> Iterator[str]:
    yield "USING iceberg"
    if layout.partition_by:
        yield f"PARTITIONED BY ({', '.join(map(partition_field, layout.partition_by))})"
    if layout.comment is not None:
        yield f"COMMENT {quoting.string(layout.comment)}"
    if properties:
        yield f"TBLPROPERTIES {quoting.properties(properties)}"


def partition_field(text: str) -> str:
    """A column, or one of Iceberg's transforms of a column; names are quoted."""
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
