"""A contract's constraints as one query."""

from types import SimpleNamespace

import pytest

from dbt.adapters.ctas_spark import model_columns
from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import ConstraintViolationError

STAGED = TableName("s", "t")
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
    model_columns.comment_each(spark, STAGED, texts)
    assert asked[1:] == [f"ALTER TABLE `s`.`t` ALTER COLUMN {one}" for one in said]


def test_broken_constraints_are_all_named() -> None:
    """The error counts the rows of each broken constraint."""
    with pytest.raises(ConstraintViolationError, match=r"positive \(1,200 rows\)"):
        model_columns.assert_none_broken({"not_null id": 0, "positive": 1_200}, "shop.orders")
