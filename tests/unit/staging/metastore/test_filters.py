"""The words in which a metastore is asked for tables."""

import pytest

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.metastore import filters


@pytest.mark.parametrize(
    ("value", "literal"),
    [("staged", '"staged"'), ("it's", '"it\'s"'), ('"a"', "'\"a\"'"), ("", '""')],
)
def test_a_value_is_quoted(value: str, literal: str) -> None:
    """A value stands in the quotes that it does not have."""
    asked = filters.parameter_is("ctas_spark_state", value)
    assert asked == f"hive_filter_field_params__ctas_spark_state = {literal}"


@pytest.mark.parametrize(
    ("parameter", "value"), [("a.b", "c"), ("ä", "c"), ("", "c"), ("a", "'\"")]
)
def test_what_has_no_words_is_an_error(parameter: str, value: str) -> None:
    """A name or a value that Hive's filters can't say is an error."""
    with pytest.raises(ValueError, match="can't be asked"):
        filters.parameter_is(parameter, value)


@pytest.mark.parametrize(
    ("prefix", "pattern"), [("orders__", "orders__*"), ("", "*"), ("a|b", "*"), ("a.b", "*")]
)
def test_a_prefix_is_a_pattern_unless_it_is_special(prefix: str, pattern: str) -> None:
    """A prefix that would mean something else in a pattern asks for all names."""
    assert filters.begins_with(prefix) == pattern


def test_names_are_those_that_begin_so() -> None:
    """Of what a pattern found, names with the prefix in Hive's letter case are kept."""
    found = filters.named("shop", ["orders__a", "xorders__a", "orders"], "Orders__")
    assert found == (TableName("shop", "orders__a"),)
