"""The query of a snapshot's records and rows."""

import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from dbt.adapters.exceptions.compilation import SnapshotTargetNotSnapshotTableError
from dbt.include.global_project import PACKAGE_PATH
from jinja2 import Template

from ctas_spark.errors import ConfigurationError
from dbt.adapters.ctas_spark import snapshots
from dbt.adapters.ctas_spark.impl import CtasSparkAdapter
from dbt.adapters.ctas_spark.relation import CtasSparkRelation
from dbt.adapters.ctas_spark.snapshots import Changes, Strategy

META = {
    "dbt_scd_id": "string",
    "dbt_valid_from": "timestamp",
    "dbt_valid_to": "timestamp",
    "dbt_updated_at": "timestamp",
}
OLD = "s.t", {"id": "int", "name": "string", "gone": "int", **META}
NEW = "rows", {"ID": "int", "name": "string", "added": "date"}
TABLE = cast(
    "Any",
    SimpleNamespace(in_session_catalog=True, is_delta=False, is_iceberg=False, is_hudi=False),
)


def changes(hard_deletes: str = "ignore", **config: object) -> Changes:
    """Those of a strategy as dbt's macros give it."""
    given = {
        "unique_key": ["id", "name"],
        "updated_at": "at",
        "scd_id": "md5(id)",
        "row_changed": "(changed)",
        "hard_deletes": hard_deletes,
    }
    sql = {"now": "now()", "deleted_id": "md5(o)", "returned_id": "md5(s)"}
    strategy, names = Strategy.of(given, config, **sql), snapshots.named({})
    columns = snapshots.columns_of("m", names, TABLE, OLD, NEW)
    return Changes(strategy, names, OLD, NEW[0], columns)


@pytest.mark.parametrize("hard_deletes", ["ignore", "invalidate", "new_record"])
def test_rows_are_read_once(hard_deletes: str) -> None:
    """By the records and by the changes alike: rows of two scans would each end a record."""
    made = changes(hard_deletes)
    for query in (made.records(), made.changed()):
        assert len(re.findall(r"FROM rows\b", query)) == 1
        assert len(re.findall(r"FROM s\.t\b", query)) == 1
    assert ("is_gone, struct" in made.records()) is (hard_deletes == "new_record")


def test_columns_have_the_tables_names() -> None:
    """A row's in another case is the same, one that is gone is NULL, and a new one is added."""
    query = changes().records()
    assert "DBT_INTERNAL_SOURCE.`ID` AS `id`" in query
    assert "NULL AS `gone`" in query
    assert "NULL AS `added`" in query
    assert "s.`added` AS `added`" in query


def test_a_time_strategy_asks_for_the_rows_own_time_too() -> None:
    """A record of a row that came back is valid from a later time than its row has."""
    later = "snapshotted_data.`dbt_updated_at` < source_data.`dbt_updated_at`"
    assert f"(changed) OR {later}" in changes(strategy="timestamp").records()
    assert later not in changes(strategy="check").records()


def test_dbts_check_of_many_columns_is_not_nested() -> None:
    """It is nested once for each column, which Spark's parser can't hold; another check stays."""
    macros = Path(PACKAGE_PATH) / "macros" / "materializations" / "snapshots" / "strategies.sql"
    (row_changed,) = re.findall(
        r"set row_changed_expr -%}(\s*\(\s*{%- if column_added.*?){%- endset",
        macros.read_text(),
        re.DOTALL,
    )
    sides = {"snapshotted_rel": "snapshotted_data", "current_rel": "source_data"}
    check = Template(row_changed).render(check_cols=["`a``!=`", "`b c`", "`Ü`"], **sides)
    assert snapshots.without_nesting(check) == (
        "NOT (snapshotted_data.`a``!=` <=> source_data.`a``!=` "
        "AND snapshotted_data.`b c` <=> source_data.`b c` "
        "AND snapshotted_data.`Ü` <=> source_data.`Ü`)"
    )
    for own in ("(\n    TRUE\n)", f"({check} or lower(a) != 'b')"):
        assert snapshots.without_nesting(own) == own


def test_checked_columns_are_found_in_any_case() -> None:
    """A column that the table lacks makes every row a change; one of another case does not."""
    columns = [SimpleNamespace(name="ID"), SimpleNamespace(name="new`")]
    assert snapshots.checked(columns, ["id"]) == (True, ["`ID`"])
    assert snapshots.checked(columns[:1], ["id", "x"]) == (False, ["`ID`"])
    assert snapshots.checked(columns, None) == (False, ["`ID`", "`new```"])


def test_columns_that_hold_maps_are_named() -> None:
    """Spark compares none, at any depth."""
    columns = [
        SimpleNamespace(name="id", dtype="int"),
        SimpleNamespace(name="m", dtype="array<map<string,int>>"),
    ]
    snapshots.refuse_maps("m", columns[:1])
    with pytest.raises(ConfigurationError, match=r"column m, which is array<map<string,int>>"):
        snapshots.refuse_maps("m", columns)


def test_a_snapshots_columns_may_have_names_with_capitals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also that of deletions; one that is missing is dbt's own error."""
    names = {**{one: one.upper() for one in META}, "dbt_is_deleted": "Is_Gone"}
    table = CtasSparkRelation.create(schema="s", identifier="t")
    adapter: Any = CtasSparkAdapter.__new__(CtasSparkAdapter)
    there = [SimpleNamespace(name=one) for one in names.values()]
    monkeypatch.setattr(adapter, "get_columns_in_relation", lambda _: there)
    strategy = {"hard_deletes": "new_record"}
    adapter.assert_valid_snapshot_target_given_strategy(table, names, strategy)
    there.pop()
    with pytest.raises(SnapshotTargetNotSnapshotTableError, match="is_gone"):
        adapter.assert_valid_snapshot_target_given_strategy(table, names, strategy)
