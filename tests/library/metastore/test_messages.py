"""The words in which a metastore is asked, names partitions, and refuses."""

import pytest

from ctas_spark.context import TableName
from ctas_spark.metastore import messages
from ctas_spark.metastore.client import Partition, values_in


@pytest.mark.parametrize(
    ("value", "literal"),
    [("staged", '"staged"'), ("it's", '"it\'s"'), ('"a"', "'\"a\"'"), ("", '""')],
)
def test_a_value_is_quoted(value: str, literal: str) -> None:
    """A value stands in the quotes that it does not have."""
    asked = messages.parameter_is("ctas_spark_state", value)
    assert asked == f"hive_filter_field_params__ctas_spark_state = {literal}"


@pytest.mark.parametrize(
    ("parameter", "value"), [("a.b", "c"), ("ä", "c"), ("", "c"), ("a", "'\"")]
)
def test_what_has_no_words_is_an_error(parameter: str, value: str) -> None:
    """A name or a value that Hive's filters can't say is an error."""
    with pytest.raises(ValueError, match="can't be asked"):
        messages.parameter_is(parameter, value)


@pytest.mark.parametrize(
    ("prefix", "pattern"), [("orders__", "orders__*"), ("", "*"), ("a|b", "*"), ("a.b", "*")]
)
def test_a_prefix_is_a_pattern_unless_it_is_special(prefix: str, pattern: str) -> None:
    """A prefix that would mean something else in a pattern asks for all names."""
    assert messages.begins_with(prefix) == pattern


def test_names_are_those_that_begin_so() -> None:
    """Of what a pattern found, names with the prefix in Hive's letter case are kept."""
    found = messages.tables_named("shop", ["orders__a", "xorders__a", "orders"], "Orders__")
    assert found == (TableName("shop", "orders__a"),)


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("day=2026-11-21", ("2026-11-21",)),
        ("day=a b/country=größer", ("a b", "größer")),
        ("day=a%2Fb/country=k%3Dv%25", ("a/b", "k=v%")),
        ("day=%252F", ("%2F",)),
        ("a%3Db=c", ("c",)),
        ("day=__HIVE_DEFAULT_PARTITION__", ("__HIVE_DEFAULT_PARTITION__",)),
    ],
)
def test_values_are_read_from_a_name(name: str, values: tuple[str, ...]) -> None:
    """Every value of a name is read, with its escaped characters."""
    assert values_in(name) == values


def test_names_are_found_by_values() -> None:
    """The server's own names of these partitions are taken; what it does not have is left out."""
    asked = [Partition((value,), "file:/w") for value in ("a/b", "missing")]
    assert messages.names_of(asked, ["day=a%2fb", "day=c"]) == ("day=a%2fb",)
