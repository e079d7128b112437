"""Descriptions of columns as comments of the staged version's columns."""

from collections.abc import Iterator, Mapping
from typing import Any

from dbt.adapters.ctas_spark.staging import quoting
from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.events.logging import AdapterLogger

logger = AdapterLogger("CtasSpark")


def comments_sql(
    staged: TableName, columns: Mapping[str, Mapping[str, Any]], partition_by: tuple[str, ...]
) -> Iterator[str]:
    """One statement for each described column; Spark has none for a partition column."""
    partitions = {name.lower() for name in partition_by}
    for column in columns.values():
        name, description = column["name"], column.get("description")
        if not description:
            continue
        if name.lower() in partitions:
            logger.warning(f"{staged}: Spark can't comment on the partition column {name}")
            continue
        yield (
            f"ALTER TABLE {quoting.table(staged)} "
            f"ALTER COLUMN {quoting.identifier(name)} COMMENT {quoting.string(description)}"
        )
