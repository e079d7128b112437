"""A contract's constraints as one query."""

import io
from types import SimpleNamespace

import pytest
from dbt.events.types import UnsupportedConstraintMaterialization
from dbt_common.contracts.constraints import ConstraintType
from dbt_common.events import event_manager_client
from dbt_common.events.base_types import EventLevel
from dbt_common.events.event_manager import EventManager
from dbt_common.events.functions import warn_or_error
from dbt_common.events.logger import LoggerConfig

from ctas_spark.context import TableName
from dbt.adapters.ctas_spark import model_columns

STAGED = "`s`.`t`"
MODEL = {
    "columns": {
        "id": {"name": "id", "constraints": [{"type": "not_null"}, {"type": "unique"}]},
        "n": {"name": "n"},
    },
    "constraints": [
        {"type": "check", "expression": "n > 0", "name": "positive"},
        {"type": "not_null", "columns": ["a", "b"]},
    ],
}


def test_every_enforced_constraint_is_counted_in_one_scan() -> None:
    """not_null and check are counted; what Spark tables can't promise is not."""
    assert model_columns.checks_sql(MODEL, STAGED) == (
        "SELECT count_if(`id` IS NULL) AS `not_null id`, count_if(NOT (n > 0)) AS `positive`, "
        "count_if(`a` IS NULL) AS `not_null a`, count_if(`b` IS NULL) AS `not_null b` "
        "FROM `s`.`t`"
    )


def test_a_check_of_several_columns_is_counted_once() -> None:
    """It is the same condition for each of them."""
    check = {"type": "check", "expression": "a < b", "columns": ["a", "b"]}
    model = {"columns": {}, "constraints": [check]}
    counted = "SELECT count_if(NOT (a < b)) AS `check a < b` FROM `s`.`t`"
    assert model_columns.checks_sql(model, STAGED) == counted


def test_a_model_without_constraints_is_not_scanned() -> None:
    """No constraint, no query."""
    assert model_columns.checks_sql({"columns": {}, "constraints": []}, STAGED) is None


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("4.1.4", ["`Id` COMMENT 'a', `n` COMMENT 'it\\'s'"]),
        ("3.5.7", ["`Id` COMMENT 'a'", "`n` COMMENT 'it\\'s'"]),
    ],
)
def test_comments_are_as_few_statements_as_spark_takes(version: str, said: list[str]) -> None:
    """Each is a commit of the table; a column that is not there is left out."""
    asked: list[str] = []

    def sql(statement: str) -> SimpleNamespace:
        asked.append(statement)
        return SimpleNamespace(columns=["Id", "n", "more"])

    texts = {"id": "a", "n": "it's", "gone": "x"}
    spark = SimpleNamespace(version=version, sql=sql)
    model_columns.comment_each(spark, TableName("s", "t"), texts)
    assert asked[1:] == [f"ALTER TABLE `spark_catalog`.`s`.`t` ALTER COLUMN {one}" for one in said]


def test_rows_that_break_a_constraint_are_selected_with_its_name() -> None:
    """Only those of broken constraints are looked for, and few are fetched, each cut."""
    broken = {"positive": 7, "not_null b": 1}
    assert model_columns.broken_rows_sql(MODEL, STAGED, broken) == (
        "SELECT CASE WHEN NOT (n > 0) THEN 'positive' WHEN `b` IS NULL THEN 'not_null b' END, "
        "left(to_json(struct(*), map('ignoreNullFields', 'false')), 201) FROM `s`.`t` "
        "WHERE (NOT (n > 0)) OR (`b` IS NULL) LIMIT 5"
    )


def test_broken_constraints_are_all_named() -> None:
    """The error counts the rows of each broken constraint, and shows some."""
    rows = [("positive", '{"n":-1}'), ("positive", "x" * 201)]
    said = model_columns.violation({"not_null id": 1, "positive": 1_200}, rows, "shop.orders")
    counted = "not_null id (1 row), positive (1,200 rows)"
    assert str(said).splitlines()[:3] == [
        f"[CONSTRAINT_VIOLATION] rows of this version break the contract: {counted}",
        '    - positive: {"n":-1}',
        f"    - positive: {'x' * 200}...",
    ]


def node(*kinds: str, enforced: bool = True, warn: bool = True) -> SimpleNamespace:
    """A model of dbt-core's with one constraint of each type."""
    constraints = [SimpleNamespace(type=ConstraintType(k), warn_unsupported=warn) for k in kinds]
    config = SimpleNamespace(contract=SimpleNamespace(enforced=enforced))
    return SimpleNamespace(config=config, columns={}, constraints=constraints)


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The messages of dbt's events, as they come."""
    manager, lines = EventManager(), list[str]()
    manager.add_callback(lambda event: lines.append(str(event.info.msg)))  # type: ignore[attr-defined]  # protobuf
    monkeypatch.setattr(event_manager_client, "_EVENT_MANAGER", manager)
    return lines


def test_what_is_ignored_of_an_enforced_contract_is_said(said: list[str]) -> None:
    """In dbt's own words, which its own setting silences."""
    model_columns.warn_of_unchecked(node("unique", "not_null", "check"), "ctas_spark")
    (line,) = said
    assert "The constraint type unique is not supported by ctas_spark" in line
    model_columns.warn_of_unchecked(node("unique", enforced=False), "ctas_spark")
    model_columns.warn_of_unchecked(node("unique", warn=False), "ctas_spark")
    assert said == [line]


@pytest.mark.parametrize(("materialized", "times"), [("atomic_table", 0), ("view", 1)])
def test_dbt_core_s_wrong_warning_is_not_logged(
    materialized: str, times: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is wrong of atomic_table alone; what a logger left out before, it still leaves out."""
    manager, printed = EventManager(), io.StringIO()
    for level in (EventLevel.WARN, EventLevel.ERROR):
        manager.add_logger(LoggerConfig(f"test {level}", level=level, output_stream=printed))
    manager.loggers[1].filter = lambda _: False
    monkeypatch.setattr(event_manager_client, "_EVENT_MANAGER", manager)
    model_columns.correct_dbt_core()
    warn_or_error(UnsupportedConstraintMaterialization(materialized=materialized))
    assert printed.getvalue().count("Constraint types are not supported") == times


def test_a_quoted_description_is_of_the_column_of_that_very_name() -> None:
    """Another's is of a column in any case."""
    node = SimpleNamespace(
        columns={
            "MyCol": SimpleNamespace(name="MyCol", description="exact", quote=True),
            "low": SimpleNamespace(name="low", description="", quote=True),
            "Other": SimpleNamespace(name="Other", description="any", quote=None),
        }
    )
    comments = model_columns.Comments(model_columns.descriptions(node))
    assert (comments.find("MYCOL"), comments.find("oTHER")) == (None, "any")
    assert comments.missing == {"MyCol"}
    assert comments.find("MyCol") == "exact"
    assert not comments.missing
