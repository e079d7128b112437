"""The statement that fills a fork."""

from collections.abc import Mapping

from dbt.adapters.ctas_spark.staging import quoting
from dbt.adapters.ctas_spark.staging.context import TableLayout, TableName
from dbt.adapters.ctas_spark.staging.publish.v2_clauses import clauses


def replace_fork_as(
    fork: TableName, layout: TableLayout, properties: Mapping[str, str], query: str
) -> str:
    """CREATE OR REPLACE of a fork that is there: Iceberg builds on what it was forked from."""
    said = clauses("iceberg", layout, properties)
    return f"CREATE OR REPLACE TABLE {quoting.table(fork)}\n{said}\nAS\n{query}"
