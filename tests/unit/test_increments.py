"""What an incremental model adds: the way that it writes by, and its query."""

import re
from typing import Any

import pytest
from dbt.adapters.contracts.relation import RelationType

from dbt.adapters.ctas_spark.increments import (
    Way,
    increment,
    of_strategy,
    problems,
    strategy_of,
    way,
)
from dbt.adapters.ctas_spark.relation import CtasSparkRelation
from dbt.adapters.ctas_spark.staging.errors import ConfigurationError

OLD = "s.t", {"id": "int", "text": "string"}
NEW = "new", {"ID": "int", "text": "string", "added": "date"}


def existing(**flags: object) -> CtasSparkRelation:
    """What the model finds under its name: a table of files, if nothing else is said."""
    found = CtasSparkRelation.create(schema="s", identifier="t")
    return found.replace(**{"type": RelationType.Table, **flags})


def query(**config: object) -> str:
    """The query of one configuration."""
    return increment("model.m", config, OLD, NEW).query(strategy_of(config))


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({}, Way.IN_PLACE),
        ({"atomicity": "none"}, Way.IN_PLACE),
        ({"atomicity": "isolated"}, Way.WITH_OLD_ROWS),
        ({"incremental_strategy": "merge"}, Way.WITH_OLD_ROWS),
    ],
)
def test_files_are_added_to_as_the_model_asks(config: dict[str, str], expected: Way) -> None:
    """Formats with commits of their own have a statement for everything."""
    assert way(existing(), config, full_refresh=False) is expected
    assert way(existing(), config, full_refresh=True) is Way.WHOLE
    assert way(None, config, full_refresh=False) is Way.WHOLE
    assert way(existing(is_delta=True), config, full_refresh=False) is Way.IN_PLACE
    view = existing(type=RelationType.View)
    assert way(view, config, full_refresh=False) is Way.WHOLE


def test_delete_insert_is_refused_where_there_is_a_merge() -> None:
    """dbt-spark has no statement for it. The first build, which needs none, says so already."""
    config = {"incremental_strategy": "delete+insert"}
    assert not [*of_strategy(config, existing())]
    assert not [*of_strategy(config, None)]
    assert len([*of_strategy(config, existing(is_iceberg=True))]) == 1
    assert len([*of_strategy({**config, "file_format": "delta"}, None)]) == 1
    assert len([*of_strategy({"incremental_strategy": "microbatch"}, None)]) == 1


@pytest.mark.parametrize(
    ("level", "flags", "by", "count"),
    [
        ("isolated", {}, Way.WITH_OLD_ROWS, 0),
        ("none", {}, Way.WITH_OLD_ROWS, 1),
        ("none", {}, Way.IN_PLACE, 0),
        ("isolated", {"is_delta": True}, Way.IN_PLACE, 1),
        ("atomic", {"is_delta": True}, Way.IN_PLACE, 0),
    ],
)
def test_a_level_that_adding_rows_can_not_keep_is_refused(
    level: str, flags: dict[str, bool], by: Way, count: int
) -> None:
    """A format's commit is atomic, no less and no more."""
    assert len(problems({"atomicity": level}, existing(**flags), by)) == count


def test_it_is_refused_before_the_table_is_there() -> None:
    """And not only in the second run."""
    config = {"atomicity": "isolated", "file_format": "delta"}
    assert len(problems(config, existing(), Way.WHOLE)) == 1


def test_rows_are_appended() -> None:
    """Each side with the table's columns, in their order."""
    assert query() == (
        "SELECT DBT_INTERNAL_DEST.`id` AS `id`, DBT_INTERNAL_DEST.`text` AS `text` "
        "FROM s.t AS DBT_INTERNAL_DEST UNION ALL SELECT `id`, `text` FROM new"
    )


def test_partitions_with_new_rows_lose_their_old_ones() -> None:
    """An empty text and NULL are the same partition."""
    by_partition = query(incremental_strategy="insert_overwrite", partition_by=["Text", "id"])
    assert by_partition.endswith(
        "LEFT ANTI JOIN (SELECT DISTINCT `Text`, `id` FROM new) AS DBT_INTERNAL_SOURCE ON "
        "nullif(DBT_INTERNAL_DEST.`Text`, '') <=> nullif(DBT_INTERNAL_SOURCE.`Text`, '') AND "
        "DBT_INTERNAL_DEST.`id` <=> DBT_INTERNAL_SOURCE.`id` UNION ALL SELECT `id`, `text` FROM new"
    )
    assert query(incremental_strategy="insert_overwrite") == "SELECT `id`, `text` FROM new"


@pytest.mark.parametrize(
    "named",
    [
        {"merge_update_columns": ["TEXT"]},
        {"merge_update_columns": ["`text`"]},
        {"merge_update_columns": "text"},
        {"merge_exclude_columns": ["ID"]},
    ],
)
def test_a_merge_sets_the_columns_that_it_names(named: dict[str, Any]) -> None:
    """The others stay in a row that it finds."""
    merged = query(incremental_strategy="merge", unique_key="id", **named)
    kept = "WHEN DBT_INTERNAL_DEST.__ctas_spark_is_new IS NOT NULL THEN DBT_INTERNAL_DEST."
    assert f"{kept}`id`" in merged
    assert f"{kept}`text`" not in merged


@pytest.mark.parametrize("named", ["merge_update_columns", "merge_exclude_columns"])
def test_a_column_that_a_merge_can_not_set_is_an_error(named: str) -> None:
    """Misspelt, it would be kept in every run, or set although it was excluded."""
    with pytest.raises(ConfigurationError, match="there is no column txet"):
        query(incremental_strategy="merge", unique_key="id", **{named: ["txet"]})


def test_a_predicate_of_a_merge_stays_within_the_condition() -> None:
    """An OR outside it would join rows of other keys."""
    merged = query(
        incremental_strategy="merge",
        unique_key="id",
        incremental_predicates=["DBT_INTERNAL_DEST.id > 1 OR DBT_INTERNAL_DEST.id IS NULL"],
    )
    same = "DBT_INTERNAL_DEST.`id` = DBT_INTERNAL_SOURCE.`id`"
    said = "(DBT_INTERNAL_DEST.id > 1 OR DBT_INTERNAL_DEST.id IS NULL)"
    assert merged.endswith(f"ON {same} AND {said}")


def test_columns_follow_the_new_rows() -> None:
    """Where the model says so; a removed one goes, and an old row has NULL in a new one."""
    old = "s.t", {"id": "int", "amount": "int"}
    new = "new", {"amount": "bigint", "added": "date"}
    changed = increment("model.m", {"on_schema_change": "sync_all_columns"}, old, new).columns
    cast = "CAST(DBT_INTERNAL_DEST.`amount` AS bigint)"
    assert changed == {"amount": cast, "added": "NULL"}


@pytest.mark.parametrize(
    ("changes", "old", "new"),
    [
        (None, "int", "string"),
        (None, "bigint", "float"),
        (None, "struct<a:int,b:int>", "struct<b:int,a:int>"),
        ("sync_all_columns", "bigint", "int"),
        ("sync_all_columns", "string", "varchar(3)"),
    ],
)
def test_a_type_that_would_change_values_is_an_error(
    changes: str | None, old: str, new: str
) -> None:
    """Spark unites and casts without a word; the model's author can cast with intent."""
    told = f"column v: is {old} in the table and {new} in the new rows"
    with pytest.raises(ConfigurationError, match=re.escape(told)):
        increment("m", {"on_schema_change": changes}, ("t", {"v": old}), ("n", {"v": new}))


def test_a_strategy_is_one_of_ours_or_a_macro_of_the_project() -> None:
    """The error has dbt's own words, with the name of the macro that it looks for."""
    config = {"incremental_strategy": "my+own"}
    macros = {"get_incremental_my_own_sql"}
    (told,) = of_strategy(config, existing())
    assert 'an incremental strategy macro with the name "get_incremental_my_own_sql"' in told
    assert not [*of_strategy(config, existing(), macros)]
    assert len(problems(config, existing(), Way.WITH_OLD_ROWS)) == 1


def test_predicates_of_delete_insert_are_of_the_tables_rows() -> None:
    """A bare name would be of both sides in the join itself."""
    made = query(
        incremental_strategy="delete+insert", unique_key="id", incremental_predicates=["id != 2"]
    )
    assert "(SELECT *, (id != 2) AS __ctas_spark_predicates FROM s.t AS DBT_INTERNAL_DEST)" in made
    assert made.count("id != 2") == 1


def test_a_column_that_new_rows_lack_is_empty_in_them() -> None:
    """If new columns are to be appended; rows that a merge finds keep what they have there."""
    config = {"on_schema_change": "append_new_columns", "unique_key": "id"}
    made = increment("model.m", config, OLD, ("new", {"id": "int"}))
    assert made.query("append").endswith("UNION ALL SELECT `id`, NULL AS `text` FROM new")
    assert (
        "CASE WHEN DBT_INTERNAL_DEST.__ctas_spark_is_new IS NOT NULL THEN DBT_INTERNAL_DEST.`text` "
        "WHEN DBT_INTERNAL_SOURCE.__ctas_spark_is_new IS NOT NULL THEN NULL "
        "ELSE DBT_INTERNAL_DEST.`text` END AS `text`"
    ) in made.query("merge")
