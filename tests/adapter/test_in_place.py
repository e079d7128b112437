"""What is checked, and what is done, before rows are added to a table in place."""

from types import SimpleNamespace
from typing import Any, cast

import pytest
from dbt_common.exceptions import CompilationError

from ctas_spark.errors import ConfigurationError
from dbt.adapters.ctas_spark import in_place
from dbt.adapters.ctas_spark.batches import Batch
from dbt.adapters.ctas_spark.in_place import Format, Increment

ADDED, SYNC = "append_new_columns", "sync_all_columns"


def plan(
    old: dict[str, str], new: dict[str, str], changes: str | None = None, **known: Any
) -> Increment:
    """The plan for these columns; ``is_iceberg`` and the like say what the table is."""
    flags = ("is_iceberg", "is_delta", "in_session_catalog")
    table = {"in_session_catalog": True, "is_delta": False, "is_iceberg": False}
    table.update({key: known.pop(key) for key in flags if key in known})
    relation = cast("Any", SimpleNamespace(**table))
    found = in_place.compared(relation, changes, ("t", old), ("n", new), **known)
    return in_place.planned("m", found, ("t", old), ("n", new))


def refused(*arguments: Any, **known: Any) -> str:
    """The text of the error."""
    with pytest.raises(ConfigurationError) as caught:
        plan(*arguments, **known)
    return str(caught.value)


def test_names_in_another_case_are_the_same() -> None:
    """As Spark resolves them: no column is added, and each row's value is found."""
    made = plan({"id": "int", "Name": "string"}, {"NAME": "string", "id": "int"}, ADDED)
    assert made.alterations == []
    assert made.source.rstrip() == (
        "SELECT DBT_INTERNAL_SOURCE.`id` AS `id`, DBT_INTERNAL_SOURCE.`NAME` AS `Name` "
        "FROM n AS DBT_INTERNAL_SOURCE"
    )
    plan({"Name": "string"}, {"NAME": "string"}, "fail")


def test_a_removed_column_is_null_in_new_rows() -> None:
    """If the model appends columns; else it is an error that names the column."""
    made = plan({"id": "int", "gone": "int"}, {"id": "int", "more": "date"}, ADDED)
    assert "NULL AS `gone`" in made.source
    assert made.alterations == ["ALTER TABLE t ADD COLUMNS (`more` date)"]
    assert "column gone: is in the table and not in" in refused(
        {"id": "int", "gone": "int"}, {"id": "int"}
    )


@pytest.mark.parametrize(
    ("kind", "other"),
    [
        ("int", "decimal(2,1)"),
        ("int", "double"),
        ("int", "string"),
        ("date", "timestamp"),
        ("struct<a:int,b:int>", "struct<a:int,c:int>"),
        ("array<struct<a:int>>", "array<struct<a:bigint>>"),
    ],
)
def test_a_type_that_would_change_values_is_refused(kind: str, other: str) -> None:
    """Spark would write 3.7 into an int as 3."""
    assert f"column n: is {kind} in the table and {other} in the new rows" in refused(
        {"n": kind}, {"n": other}
    )


def test_an_integer_that_may_fit_is_checked_where_it_is_written() -> None:
    """One that does not fit fails the statement, whatever Spark's policy of assignment is."""
    source = plan({"n": "int"}, {"n": "bigint"}).source
    cast = "try_cast(DBT_INTERNAL_SOURCE.`n` AS int)"
    assert f"try_cast({cast} AS bigint) = DBT_INTERNAL_SOURCE.`n`, {cast}" in source
    assert "raise_error('column n: a value of type bigint does not fit in int')" in source
    assert "in the new rows" in refused({"n": "int"}, {"n": "bigint"}, has_contract=True)
    assert "try_cast(" in plan({"n": "double"}, {"n": "bigint"}).source
    assert "CAST(DBT_INTERNAL_SOURCE.`n` AS string)" in plan({"n": "string"}, {"n": "date"}).source


def test_types_that_iceberg_lacks_are_no_change() -> None:
    """It has an int for a smallint, and a string for a varchar."""
    old = {"s": "int", "v": "string", "e": "struct<smallint:int,x:int>"}
    new = {"s": "smallint", "v": "varchar(5)", "e": "struct<smallint:tinyint,x:int>"}
    for changes in ("fail", SYNC):
        assert plan(old, new, changes, is_iceberg=True).alterations == []
    with pytest.raises(CompilationError, match="out of sync"):
        plan(old, new, "fail")


def test_columns_follow_the_rows_where_the_format_can() -> None:
    """First what it may refuse; if it can't at all, nothing is tried."""
    old, new = {"id": "int", "gone": "int"}, {"id": "bigint", "more": "date"}
    assert plan(old, new, SYNC, is_iceberg=True).alterations == [
        "ALTER TABLE t DROP COLUMN `gone`",
        "ALTER TABLE t ALTER COLUMN `id` TYPE bigint",
        "ALTER TABLE t ADD COLUMNS (`more` date)",
    ]
    able = {"delta.columnMapping.mode": "name", "delta.enableTypeWidening": "true"}
    assert plan(old, new, SYNC, is_delta=True, properties=able).dropped == ("gone",)
    for flags in ({}, {"is_delta": True}):
        told = refused(old, new, SYNC, **flags)
        assert "can't drop it" in told
        assert "can't change it" in told
    assert "can't change it" in refused({"n": "bigint"}, {"n": "int"}, SYNC, is_iceberg=True)


def test_a_contract_is_what_the_table_is_to_have() -> None:
    """A column that only one of them has is an error, unless the model adds it."""
    told = refused({"a": "int"}, {"b": "int"}, "ignore", has_contract=True)
    assert "column a: is in the table and not in the contract" in told
    assert "column b: is in the contract and not in the table" in told
    assert plan({"a": "int"}, {"a": "int", "b": "int"}, ADDED, has_contract=True).added == {
        "b": "int"
    }


def test_a_column_of_no_type_is_not_added() -> None:
    """No format has a column of NULLs."""
    assert "column n: is NULL in all new rows" in refused({}, {"n": "void"}, ADDED)


def test_an_insert_names_its_columns_as_the_table_has_them() -> None:
    """So that the table is not described a second time."""
    made = plan({"id": "int", "p": "int"}, {"P": "int", "ID": "int"})
    assert made.insert("v") == "INSERT INTO t SELECT `id`, `p` FROM v"
    assert made.insert("v", []) == "INSERT OVERWRITE t SELECT `id`, `p` FROM v"
    assert made.insert("v", ["p"]) == "INSERT OVERWRITE t PARTITION (`p`) SELECT `id`, `p` FROM v"


def test_a_merge_names_its_columns() -> None:
    """What new rows lack stays in a row that is found; a key may be a field."""
    made = plan(
        {"id": "int", "s": "struct<k:int>", "gone": "int"},
        {"ID": "int", "s": "struct<k:int>"},
        ADDED,
    )
    config = {"unique_key": ["s.k"], "merge_exclude_columns": ["id"], "predicates": ["a or b"]}
    assert made.merge("m", config, "v") == (
        "MERGE INTO t AS DBT_INTERNAL_DEST USING v AS DBT_INTERNAL_SOURCE ON (a or b) AND "
        "DBT_INTERNAL_SOURCE.`s`.`k` = DBT_INTERNAL_DEST.`s`.`k` "
        "WHEN MATCHED THEN UPDATE SET `s` = DBT_INTERNAL_SOURCE.`s` "
        "WHEN NOT MATCHED THEN INSERT (`id`, `s`, `gone`) VALUES (DBT_INTERNAL_SOURCE.`id`, "
        "DBT_INTERNAL_SOURCE.`s`, DBT_INTERNAL_SOURCE.`gone`)"
    )
    assert "ON FALSE WHEN" in made.merge("m", {}, "v")


def test_a_batch_is_replaced_by_its_rows_or_by_partitions_of_its_own() -> None:
    """Delta replaces rows; elsewhere a partition with other batches' rows fails the statement."""
    batch = Batch("at", "day", "2026-01-02", "2026-01-03")
    made = plan({"at": "timestamp", "d": "date"}, {"at": "timestamp", "d": "date"})
    by_rows = made.for_batch(batch, None)
    assert by_rows.beside == ""
    assert by_rows.replaced(batch, "v", ["at", "d"]) == (
        "INSERT INTO t REPLACE WHERE `at` >= '2026-01-02' AND `at` < '2026-01-03' "
        "SELECT `at`, `d` FROM v"
    )
    by_partition = made.for_batch(batch, ["d"])
    assert "holds_others THEN raise_error" in str(by_partition.values["at"])
    assert by_partition.source.endswith("ON DBT_INTERNAL_DEST.`d` <=> DBT_INTERNAL_SOURCE.`d`")


def test_a_format_is_known_by_its_table() -> None:
    """A catalog of its own may change columns as it likes; it refuses by itself what it can't."""
    other = Format.of(
        cast("Any", SimpleNamespace(is_iceberg=False, is_delta=False, in_session_catalog=False))
    )
    assert other.drops({})
    assert other.retypes("int", "string", {})
    assert Format.ICEBERG.retypes("decimal(5,2)", "decimal(9, 2)", {})
    assert not Format.ICEBERG.retypes("decimal(5,2)", "decimal(9,3)", {})
