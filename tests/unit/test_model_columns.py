"""A contract's constraints as one query."""

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


def test_broken_constraints_are_all_named() -> None:
    """The error counts the rows of each broken constraint."""
    with pytest.raises(ConstraintViolationError, match=r"positive \(1,200 rows\)"):
        model_columns.assert_none_broken({"not_null id": 0, "positive": 1_200}, "shop.orders")
