"""SQL text from names and values; tests/functional checks it against Spark's own parser."""

from datetime import date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ctas_spark import quoting


@given(st.text())
def test_an_identifier_can_not_end_its_quotes(name: str) -> None:
    """Every backtick inside is doubled."""
    inside = quoting.identifier(name)[1:-1]
    assert inside.replace("``", "").count("`") == 0


@given(st.text())
def test_a_string_can_not_end_its_quotes(value: str) -> None:
    """Without its escapes, a literal's inside holds no quote and no backslash."""
    inside = quoting.string(value)[1:-1]
    rest = inside.replace("\\\\", "").replace("\\'", "").replace("\\u0024", "")
    assert "'" not in rest
    assert "\\" not in rest


@given(st.lists(st.text()))
def test_a_list_of_quoted_names_is_read_back(names: list[str]) -> None:
    """Names that a user writes in backticks are taken as they are, whatever is in them."""
    assert quoting.names(quoting.identifiers(names)) == tuple(names)
    assert quoting.names([quoting.identifier(name) for name in names]) == tuple(names)


def test_names_need_no_backticks() -> None:
    """As in dbt-spark, one text can list several columns; in a list each entry is one."""
    assert quoting.names(" a, b ") == ("a", "b")
    assert quoting.names(["a, b"]) == ("a, b",)
    assert quoting.names("a`b") == ("a`b",)
    assert quoting.names(None) == ()


def test_variables_are_not_substituted() -> None:
    """Spark replaces ${name} in the text of a statement; a literal never holds it."""
    assert quoting.string("${spark.app.name}") == "'\\u0024{spark.app.name}'"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "NULL"),
        (True, "true"),
        (9007199254740993, "9007199254740993"),
        (Decimal("1.10"), "1.10"),
        ("O'Hare", "'O\\'Hare'"),
        (date(2013, 1, 2), "'2013-01-02'"),
        (datetime(2013, 1, 2, 3, 4), "'2013-01-02 03:04:00'"),  # noqa: DTZ001 (a naive column)
    ],
)
def test_literals_keep_their_value(value: object, text: str) -> None:
    """A seed's value reaches Spark unchanged: large integers, quotes and nulls too."""
    assert quoting.literal(value) == text


def test_an_unknown_type_has_no_literal() -> None:
    """A value is never turned into SQL by its repr."""
    with pytest.raises(TypeError):
        quoting.literal(object())


def test_a_value_that_is_null_is_not_set() -> None:
    """As in any config of dbt; Spark would take it for the text None."""
    assert quoting.sparks_texts({"a": None, "b": True, "c": 1}) == {"b": "true", "c": "1"}
