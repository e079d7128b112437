"""The query of a table's old rows and an incremental model's new ones."""

import re
from typing import Any

import pytest

from ctas_spark.errors import ConfigurationError
from dbt.adapters.ctas_spark import old_rows
from dbt.adapters.ctas_spark.batches import directory
from dbt.adapters.ctas_spark.old_rows import REMEDY, Values, of_both

OLD = "s.t", {"id": "int", "text": "string"}
NEW = "new", {"ID": "int", "text": "string", "added": "date"}


def query(**config: object) -> str:
    """The query of one configuration."""
    return old_rows.with_new("model.m", config, OLD, NEW)


def test_rows_are_appended() -> None:
    """Each side with the table's columns, in their order and by their names in any case."""
    assert query() == (
        "SELECT DBT_INTERNAL_DEST.`id` AS `id`, DBT_INTERNAL_DEST.`text` AS `text` "
        "FROM s.t AS DBT_INTERNAL_DEST UNION ALL "
        "SELECT DBT_INTERNAL_SOURCE.`ID` AS `id`, DBT_INTERNAL_SOURCE.`text` AS `text` "
        "FROM new AS DBT_INTERNAL_SOURCE"
    )


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"incremental_strategy": "insert_overwrite", "partition_by": ["Text", "id"]},
        {"incremental_strategy": "insert_overwrite"},
        {"incremental_strategy": "merge", "unique_key": "id"},
        {"incremental_strategy": "delete+insert", "unique_key": ["id", "text"]},
        {"incremental_strategy": "delete+insert", "unique_key": "id", "predicates": "id > 2"},
    ],
)
def test_new_rows_are_read_once(config: dict[str, Any]) -> None:
    """Two scans of a query may give different rows, and the rows of one may replace the other's."""
    assert len(re.findall(r"FROM new\b", query(**config))) == 1


def test_partitions_with_new_rows_lose_their_old_ones() -> None:
    """Two values of one directory are the same partition, such as an empty text and NULL."""
    by_partition = query(incremental_strategy="insert_overwrite", partition_by=["Text", "id"])
    parts = ", ".join(map(directory, ("`Text`", "`id`")))
    assert f"OVER (PARTITION BY {parts})" in by_partition
    assert "TRUE AS __ctas_spark_may_go FROM s.t" in by_partition
    whole = query(incremental_strategy="insert_overwrite")
    assert whole.startswith("SELECT DBT_INTERNAL_SOURCE.`ID` AS `id`")
    assert "s.t" not in whole


def test_a_key_of_null_replaces_nothing() -> None:
    """As in SQL's equality, which dbt's MERGE and DELETE use."""
    deleted = query(incremental_strategy="delete+insert", unique_key="id")
    assert "coalesce(DBT_INTERNAL_DEST.`id` IS NOT NULL, FALSE) AS __ctas_spark_may_go" in deleted
    assert "DBT_INTERNAL_DEST.`id` = DBT_INTERNAL_SOURCE.`id`" in query(
        incremental_strategy="merge", unique_key="id"
    )


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
    """An OR outside it would join rows of other keys. One may stand without a list around it."""
    either = "DBT_INTERNAL_DEST.id > 1 OR DBT_INTERNAL_DEST.id IS NULL"
    same = "DBT_INTERNAL_DEST.`id` = DBT_INTERNAL_SOURCE.`id`"
    for given in ([either], either):
        merged = query(incremental_strategy="merge", unique_key="id", incremental_predicates=given)
        assert merged.endswith(f"ON {same} AND ({either})")


def test_columns_follow_the_new_rows() -> None:
    """Where the model says so; a removed one goes, and an old row has NULL in a new one."""
    old = "s.t", {"id": "int", "amount": "int"}
    new = "new", {"amount": "bigint", "added": "date"}
    changed = of_both("model.m", "sync_all_columns", old, new, REMEDY)
    cast = "CAST(DBT_INTERNAL_DEST.`amount` AS bigint)"
    assert changed == {
        "amount": Values(cast, "DBT_INTERNAL_SOURCE.`amount`"),
        "added": Values(None, "DBT_INTERNAL_SOURCE.`added`"),
    }


def test_a_column_that_is_gone_is_an_error_unless_the_model_says_what_it_becomes() -> None:
    """dbt says that such a run fails; Spark's error would not name the remedy."""
    with pytest.raises(ConfigurationError, match="column text: is in the table and not in the new"):
        of_both("m", "ignore", OLD, ("n", {"id": "int"}), REMEDY)


def test_fields_of_structs_are_found_by_their_names() -> None:
    """In another order they would change places."""
    old, new = ("t", {"s": "struct<a:int,b:int>"}), ("n", {"s": "struct<B:int,a:int>"})
    swapped = of_both("m", None, old, new, REMEDY)["s"]
    assert swapped.old == "DBT_INTERNAL_DEST.`s`"
    assert "named_struct('a', DBT_INTERNAL_SOURCE.`s`.`a`, 'b', DBT_INTERNAL_SOURCE" in str(
        swapped.new
    )


@pytest.mark.parametrize(
    ("changes", "old", "new"),
    [
        (None, "int", "string"),
        (None, "bigint", "float"),
        (None, "struct<a:int,b:int>", "struct<b:int,c:int>"),
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
        of_both("m", changes, ("t", {"v": old}), ("n", {"v": new}), REMEDY)


def test_predicates_of_delete_insert_are_of_the_tables_rows() -> None:
    """A bare name would be of both sides in the join itself."""
    made = query(
        incremental_strategy="delete+insert", unique_key="id", incremental_predicates=["id != 2"]
    )
    may_go = "coalesce(DBT_INTERNAL_DEST.`id` IS NOT NULL AND (id != 2), FALSE)"
    assert f"{may_go} AS __ctas_spark_may_go FROM s.t AS DBT_INTERNAL_DEST" in made
    assert made.count("id != 2") == 1


def test_a_column_that_new_rows_lack_is_empty_in_them() -> None:
    """If new columns are to be appended; rows that a merge finds keep what they have there."""
    config = {"on_schema_change": "append_new_columns", "unique_key": "id"}
    new = "new", {"id": "int"}
    appended = old_rows.with_new("model.m", {**config, "incremental_strategy": "append"}, OLD, new)
    merged = old_rows.with_new("model.m", {**config, "incremental_strategy": "merge"}, OLD, new)
    assert "DBT_INTERNAL_SOURCE.`id` AS `id`, NULL AS `text` FROM new" in appended
    assert (
        "CASE WHEN DBT_INTERNAL_DEST.__ctas_spark_is_new IS NOT NULL THEN DBT_INTERNAL_DEST.`text` "
        "WHEN DBT_INTERNAL_SOURCE.__ctas_spark_is_new IS NOT NULL THEN NULL "
        "ELSE DBT_INTERNAL_DEST.`text` END AS `text`"
    ) in merged


@pytest.mark.parametrize("strategy", ["merge", "delete+insert"])
def test_a_key_that_is_no_column_is_refused(strategy: str) -> None:
    """By its name, and by whether the table or the model lacks it; a field may be one."""
    old, new = ("s.t", {"ID": "int", "s": "struct<a:int>"}), ("new", {"id": "int", "b": "int"})
    with pytest.raises(ConfigurationError) as caught:
        old_rows.with_new(
            "model.m",
            {"incremental_strategy": strategy, "unique_key": ["id", "b", "s.a"]},
            old,
            new,
        )
    assert caught.value.problems == (
        "unique_key: there is no column b in the table",
        "unique_key: there is no column s.a in the model's rows",
    )
