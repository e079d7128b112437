"""Whether the partitions that Iceberg or Delta replaces are those that a model means.

Iceberg's dynamic overwrite has no clause for them. It replaces partitions of the table's own
present partitioning, and all rows of a table without any; files of an older partitioning stay.
Delta takes a clause with some of its columns, and replaces the partitions of all.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any

from dbt_common.exceptions import DbtRuntimeError

from ctas_spark import quoting
from ctas_spark.context import TableName
from ctas_spark.errors import MetastoreError
from ctas_spark.iceberg import rows_only
from ctas_spark.iceberg.tables import IcebergTables
from ctas_spark.statement import shapes
from dbt.adapters.ctas_spark.relation import CtasSparkRelation

Ask = Callable[[str], Iterable[Any]]
"""Run a statement; its rows, whose values are found by place and by name."""
OTHERS = (
    "partition_by: the table {}, and its own partitions are replaced: rows would be lost, or stay. "
    "Write here what the table has, or run with --full-refresh"
)
OLDER = (
    "partition_by: the table has files of an older partitioning, which Iceberg would not replace: "
    "their rows would stay beside the new ones. Rewrite them (CALL system.rewrite_data_files with "
    "rewrite-all), or run with --full-refresh"
)


def problem(
    ask: Ask, table: CtasSparkRelation, partition_by: Sequence[str], spark: Any | None
) -> str:
    """What is wrong with a model's ``partition_by``; empty if nothing.

    ``spark`` is a session in this process, where the catalog tells the present partitioning.
    """
    ask(f"REFRESH TABLE {table}")  # else a session may remember what another has changed
    (shown,) = ask(f"SHOW CREATE TABLE {table}")
    found = shapes.partitions_of(str(shown[0]))
    if found is None:
        return OTHERS.format("is partitioned in a way that can't be read")
    if not rows_only.are_partitions(partition_by, found):
        return OTHERS.format(f"is partitioned by ({found})" if found else "is not partitioned")
    specs = {int(row[0]) for row in ask(f"SELECT DISTINCT spec_id FROM {table}.files")}  # noqa: S608 (dbt's name)
    if specs:
        specs |= _of_metadata(ask, table) if spark is None else _present(spark, table.full_name)
    return OLDER if len(specs) > 1 else ""


def problem_of_delta(ask: Ask, table: CtasSparkRelation, columns: Sequence[str]) -> str:
    """What is wrong with the partition columns of a model that replaces partitions of Delta's."""
    (shown,) = ask(f"DESCRIBE DETAIL {table}")
    has: list[str] = json.loads(str(shown["partitionColumns"]))
    if {one.lower() for one in has} == {one.lower() for one in columns}:
        return ""
    listed = ", ".join(has)
    return OTHERS.format(f"is partitioned by ({listed})" if has else "is not partitioned")


def _present(spark: Any, name: TableName) -> set[int]:
    """The id of what new files are partitioned by; nothing if the catalog does not say."""
    with suppress(MetastoreError):
        found = IcebergTables(spark, name.catalog).find(name)
        return set() if found is None else {int(found.facts.spec["spec-id"])}
    return set()


def _of_metadata(ask: Ask, table: CtasSparkRelation) -> set[int]:
    """The same over a server, by Iceberg's own file; nothing if the server can't read that."""
    newest = f"SELECT max_by(file, struct(timestamp, file)) FROM {table}.metadata_log_entries"  # noqa: S608 (dbt's name)
    with suppress(DbtRuntimeError):
        ((path,),) = ask(newest)
        spec = "get_json_object(value, '$.default-spec-id')"
        found = ask(f"SELECT DISTINCT {spec} FROM text.{quoting.identifier(str(path))}")  # noqa: S608
        return {int(row[0]) for row in found if row[0] is not None}
    return set()
