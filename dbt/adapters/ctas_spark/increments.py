"""How an incremental model adds to its table, and what its configuration must not say for that."""

from collections.abc import Container, Iterable, Iterator, Mapping
from enum import Enum
from typing import Any

from ctas_spark.context import Atomicity, OnConflict, StagingPurpose
from ctas_spark.options import ONE_OF, misfits
from dbt.adapters.ctas_spark import batches
from dbt.adapters.ctas_spark.relation import CtasSparkRelation

APPEND, MERGE, DELETE_INSERT = "append", "merge", "delete+insert"
INSERT_OVERWRITE, MICROBATCH = "insert_overwrite", "microbatch"
BY_PARTITION = (INSERT_OVERWRITE, MICROBATCH)
STRATEGIES = (APPEND, *BY_PARTITION, MERGE, DELETE_INSERT)
MACRO = "get_incremental_{}_sql"
"""A strategy of the project's own."""
NO_STATEMENT = (MERGE, DELETE_INSERT)
"""Tables of files have no statement that does this, so they are published whole."""
NATIVE = ("delta", "iceberg")
ON_SCHEMA_CHANGE = ("ignore", "fail", "append_new_columns", "sync_all_columns")
CHANGES = "on_schema_change"
OF_CHANGES = {CHANGES: (f"{ONE_OF}{', '.join(ON_SCHEMA_CHANGE)}", ON_SCHEMA_CHANGE.__contains__)}
UPDATED, EXCLUDED = "merge_update_columns", "merge_exclude_columns"
DROPPED = (
    "the table is dropped and then created, as with dbt-spark; in between, readers find no table"
)


class WriteMode(str, Enum):
    """How an incremental model writes."""

    WHOLE = "whole"
    """Its query is the whole table, which is published like a table model's."""
    WITH_OLD_ROWS = "with_old_rows"
    """The table's rows and the new ones are published as a version."""
    IN_PLACE = "in_place"
    """A statement changes the table, as dbt-spark does it."""


def write_mode(
    existing: CtasSparkRelation | None, config: Mapping[str, Any], *, full_refresh: bool
) -> WriteMode:
    """Decide it; the formats have statements of their own, and each is one commit."""
    if existing is None or existing.is_view or full_refresh:
        return WriteMode.WHOLE
    asked = config.get("atomicity") or Atomicity.AUTO.value
    is_named = asked not in (Atomicity.AUTO.value, Atomicity.NONE.value)
    if is_of_files(existing) and (is_named or strategy_of(config) in NO_STATEMENT):
        return WriteMode.WITH_OLD_ROWS
    return WriteMode.IN_PLACE


def written(
    relation: CtasSparkRelation, existing: CtasSparkRelation | None, by: WriteMode
) -> CtasSparkRelation:
    """The table that the node writes: what exists, unless that is created again."""
    return relation if existing is None or by is WriteMode.WHOLE else existing


def is_of_files(existing: CtasSparkRelation) -> bool:
    """True for a table whose format has no commits of its own."""
    by_itself = existing.is_delta or existing.is_iceberg or existing.is_hudi
    return existing.in_session_catalog and not by_itself


def level_in_place(table: CtasSparkRelation) -> Atomicity:
    """What a statement keeps that changes the table: a commit of its format, if that has any."""
    return Atomicity.NONE if is_of_files(table) else Atomicity.ATOMIC


def overwrites_partitions(config: Mapping[str, Any], table: CtasSparkRelation) -> bool:
    """True if a statement is to replace those partitions of a table of files that new rows have."""
    by_partition = strategy_of(config) in BY_PARTITION and config.get("partition_by")
    return bool(by_partition) and is_of_files(table)


def strategy_of(config: Mapping[str, Any]) -> str:
    """The strategy that the model names; without one dbt-spark's default."""
    return str(config.get("incremental_strategy") or APPEND)


def problems(
    config: Mapping[str, Any],
    table: CtasSparkRelation,
    by: WriteMode,
    strategies: Iterable[str] = (),
) -> list[str]:
    """Configs that a node which adds to its ``table`` can't have, each with the remedy."""
    found = [*_of_what_is_added_to(config, by), *strategies]
    refused = (Atomicity.ISOLATED.value, Atomicity.NONE.value)
    if is_native(config, table, by) and config.get("atomicity") in refused:
        found.append(
            "atomicity: rows are added to a Delta or Iceberg table by a commit of the format, "
            "which is atomic; ask for atomic, or remove it"
        )
    return found


def is_native(config: Mapping[str, Any], table: CtasSparkRelation, by: WriteMode) -> bool:
    """True if the format of the table has commits of its own."""
    if by is WriteMode.WHOLE:
        return asks_for_native(config) or not table.in_session_catalog
    return not is_of_files(table)


def asks_for_native(config: Mapping[str, Any]) -> bool:
    """True if the format that the model names has commits of its own."""
    return str(config.get("file_format")).lower() in NATIVE


def of_strategy(
    config: Mapping[str, Any], table: CtasSparkRelation, by: WriteMode, macros: Container[str] = ()
) -> Iterator[str]:
    """What is wrong with an incremental model's strategy and the configs that go with it.

    ``table`` is the one that the node adds to, or creates. A strategy that is not ours has to be
    one of the project's ``macros``.
    """
    strategy = strategy_of(config)
    macro = MACRO.format(strategy.replace("+", "_"))
    if strategy not in STRATEGIES and macro not in macros:
        yield (
            f"incremental_strategy: {strategy!r} is not one of {', '.join(STRATEGIES)}, and dbt "
            f'could not find an incremental strategy macro with the name "{macro}"'
        )
    if strategy == MICROBATCH and not config.get("partition_by"):
        yield "partition_by: microbatch replaces whole partitions; give a column of its batch_size"
    is_iceberg = table.is_iceberg or str(config.get("file_format")).lower() == "iceberg"
    if strategy == MICROBATCH and is_iceberg:
        yield from batches.problems(config)
    # dbt takes a misspelt word for ``ignore``: new columns would be lost in silence
    yield from misfits({CHANGES: config.get(CHANGES)}, OF_CHANGES).values()
    if config.get(UPDATED) and config.get(EXCLUDED):
        yield f"{UPDATED} and {EXCLUDED}: give only one of them"
    if strategy == DELETE_INSERT and (asks_for_native(config) or is_native(config, table, by)):
        yield f"incremental_strategy: {DELETE_INSERT} is for tables of files; use {MERGE} here"
    if strategy in NO_STATEMENT:
        yield from of_no_statement(config, table, by)


def of_no_statement(
    config: Mapping[str, Any], table: CtasSparkRelation, by: WriteMode
) -> Iterator[str]:
    """What is wrong with the level of a node for whose changes files have no statement."""
    if config.get("atomicity") == Atomicity.NONE.value and not is_native(config, table, by):
        yield "atomicity: none writes in place, which Spark can't do with files here; remove it"


def _of_what_is_added_to(config: Mapping[str, Any], by: WriteMode) -> Iterator[str]:
    if config.get("staging_purpose") not in (None, StagingPurpose.CREATE_OR_REPLACE.value):
        yield "staging_purpose: an incremental table is created once and then added to; remove it"
    if config.get("on_conflict") == OnConflict.OVERWRITE.value:
        yield "on_conflict: overwrite would lose the rows that another writer added; remove it"
    if (named := str(config.get("file_format") or "")) != named.lower():
        yield f"file_format: {named!r} is unknown to dbt-spark's macros; write {named.lower()!r}"
    if by is WriteMode.WITH_OLD_ROWS and strategy_of(config) not in STRATEGIES:
        yield "atomicity: the project's own strategy writes in place; remove it"
