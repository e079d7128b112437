"""How an incremental model adds to its table, and what it is refused."""

import pytest
from dbt.adapters.contracts.relation import RelationType

from dbt.adapters.ctas_spark.increments import (
    WriteMode,
    of_strategy,
    problems,
    write_mode,
    written,
)
from dbt.adapters.ctas_spark.relation import CtasSparkRelation


def existing(**flags: object) -> CtasSparkRelation:
    """What the model finds under its name: a table of files, if nothing else is said."""
    found = CtasSparkRelation.create(schema="s", identifier="t")
    return found.replace(**{"type": RelationType.Table, **flags})


def new(database: str | None = None) -> CtasSparkRelation:
    """The model's own relation, of which nothing is known but its path."""
    return CtasSparkRelation.create(database, "s", "t")


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({}, WriteMode.IN_PLACE),
        ({"atomicity": "none"}, WriteMode.IN_PLACE),
        ({"atomicity": "isolated"}, WriteMode.WITH_OLD_ROWS),
        ({"incremental_strategy": "merge"}, WriteMode.WITH_OLD_ROWS),
    ],
)
def test_files_are_added_to_as_the_model_asks(config: dict[str, str], expected: WriteMode) -> None:
    """Formats with commits of their own have a statement for everything."""
    assert write_mode(existing(), config, full_refresh=False) is expected
    assert write_mode(existing(), config, full_refresh=True) is WriteMode.WHOLE
    assert write_mode(None, config, full_refresh=False) is WriteMode.WHOLE
    assert write_mode(existing(is_delta=True), config, full_refresh=False) is WriteMode.IN_PLACE
    view = existing(type=RelationType.View)
    assert write_mode(view, config, full_refresh=False) is WriteMode.WHOLE


def test_delete_insert_is_refused_where_there_is_a_merge() -> None:
    """dbt-spark has no statement for it. The first build, which needs none, says so already."""
    config = {"incremental_strategy": "delete+insert"}
    assert not [*of_strategy(config, existing(), WriteMode.WITH_OLD_ROWS)]
    assert not [*of_strategy(config, new(), WriteMode.WHOLE)]
    assert len([*of_strategy(config, existing(is_iceberg=True), WriteMode.IN_PLACE)]) == 1
    assert len([*of_strategy({**config, "file_format": "delta"}, new(), WriteMode.WHOLE)]) == 1
    assert len([*of_strategy(config, new("ice"), WriteMode.WHOLE)]) == 1


def test_a_full_refresh_makes_a_table_of_files_of_any_other() -> None:
    """What the strategy needs is what the model creates, and not what it finds."""
    config = {"incremental_strategy": "delete+insert"}
    table = written(new(), existing(is_delta=True), WriteMode.WHOLE)
    assert not [*of_strategy(config, table, WriteMode.WHOLE)]


def test_microbatch_needs_a_partition() -> None:
    """It replaces whole ones."""
    assert len([*of_strategy({"incremental_strategy": "microbatch"}, new(), WriteMode.WHOLE)]) == 1


@pytest.mark.parametrize(
    ("level", "flags", "by", "count"),
    [
        ("isolated", {}, WriteMode.WITH_OLD_ROWS, 0),
        ("none", {}, WriteMode.IN_PLACE, 0),
        ("isolated", {"is_delta": True}, WriteMode.IN_PLACE, 1),
        ("atomic", {"is_delta": True}, WriteMode.IN_PLACE, 0),
    ],
)
def test_a_level_that_adding_rows_can_not_keep_is_refused(
    level: str, flags: dict[str, bool], by: WriteMode, count: int
) -> None:
    """A format's commit is atomic, no less and no more."""
    assert len(problems({"atomicity": level}, existing(**flags), by)) == count


def test_it_is_refused_before_the_table_is_there() -> None:
    """And not only in the second run."""
    config = {"atomicity": "isolated", "file_format": "delta"}
    assert len(problems(config, existing(), WriteMode.WHOLE)) == 1


@pytest.mark.parametrize("strategy", ["merge", "delete+insert"])
def test_writing_in_place_is_refused_where_files_have_no_statement(strategy: str) -> None:
    """The first build, which needs none, says so already."""
    config = {"incremental_strategy": strategy, "atomicity": "none"}
    assert len([*of_strategy(config, new(), WriteMode.WHOLE)]) == 1
    assert len([*of_strategy(config, existing(), WriteMode.WITH_OLD_ROWS)]) == 1
    assert not [*of_strategy({**config, "incremental_strategy": "append"}, new(), WriteMode.WHOLE)]


def test_a_format_is_written_in_small_letters() -> None:
    """dbt-spark's macros compare it as it is: without this, the second run would fail."""
    told = problems({"file_format": "Delta"}, new(), WriteMode.WHOLE)
    assert told == ["file_format: 'Delta' is unknown to dbt-spark's macros; write 'delta'"]


def test_a_strategy_is_one_of_ours_or_a_macro_of_the_project() -> None:
    """The error has dbt's own words, with the name of the macro that it looks for."""
    config = {"incremental_strategy": "my+own"}
    macros = {"get_incremental_my_own_sql"}
    (told,) = of_strategy(config, existing(), WriteMode.IN_PLACE)
    assert 'an incremental strategy macro with the name "get_incremental_my_own_sql"' in told
    assert not [*of_strategy(config, existing(), WriteMode.IN_PLACE, macros)]
    assert len(problems(config, existing(), WriteMode.WITH_OLD_ROWS)) == 1


def test_a_misspelt_change_of_columns_is_refused() -> None:
    """dbt takes it for ignore, and the new columns would be gone."""
    config = {"on_schema_change": "append_new_column"}
    (said,) = of_strategy(config, existing(), WriteMode.IN_PLACE)
    assert said.endswith("did you mean append_new_columns?")
    for right in (None, "ignore", "fail", "append_new_columns", "sync_all_columns"):
        assert not [*of_strategy({"on_schema_change": right}, existing(), WriteMode.IN_PLACE)]
