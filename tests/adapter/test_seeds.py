"""A seed's rows as a query."""

import json
import re
from datetime import date, datetime, timezone
from decimal import Decimal
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.errors import ParseException

from ctas_spark.errors import ConfigurationError
from dbt.adapters.ctas_spark import seeds
from dbt.adapters.ctas_spark.seeds import SeedColumn, text_of

NUMBER = "try_cast(regexp_replace(trim(one[0]), '[.]0*$', '') AS bigint)"
COLUMNS = [SeedColumn("id", "bigint"), SeedColumn("`a b`", "string")]


def test_rows_are_text_that_is_cast() -> None:
    """Names and types are those of the columns; an integer may have the fraction zero."""
    sql = seeds.query(COLUMNS, [(1, "a"), (2, None)])
    assert sql.startswith(f"SELECT coalesce({NUMBER}, IF(one[0] IS NULL, NULL, raise_error(")
    assert "))) AS id, CAST(one[1] AS string) AS `a b` FROM" in sql
    assert """FROM VALUES (0, '[["1","a"],["2",null]]') AS texts(skipped, text)""" in sql
    assert "map('mode', 'FAILFAST')" in sql


def test_a_value_that_does_not_fit_fails_the_statement() -> None:
    """The error names its row and column, in ANSI mode and without."""
    sql = seeds.query(COLUMNS, [(12345678901234567890, "a")])
    told = (
        "raise_error(concat('[INVALID_SEED_VALUE] row ', skipped + place + 1, "
        r"' below the header, column id: \'', left(one[0], 100), "
        r"'\' does not fit the type bigint; correct it, or the type in column_types'))"
    )
    assert f"coalesce({NUMBER}, IF(one[0] IS NULL, NULL, {told}))" in sql


class FakeSpark:
    """Refuses one type, as Spark's parser does."""

    def __init__(self) -> None:
        self.asked: list[str] = []

    def sql(self, statement: str) -> Any:
        self.asked.append(statement)
        if "integr" in statement:
            raise ParseException('[UNSUPPORTED_DATATYPE] Unsupported data type "INTEGR".\n== SQL')
        return SimpleNamespace(columns=["value"])


def test_types_that_spark_does_not_know_are_named() -> None:
    """All of them, in Spark's words; it is asked only about the less usual ones."""
    spark = FakeSpark()
    right = {"column_types": {"a": "BIGINT", "b": "decimal(3,1)"}}
    seeds.check_types("seed.p.s", right, ["a", "b"], spark)
    assert spark.asked == ["SELECT CAST(NULL AS decimal(3,1)) AS value"]
    wrong = {"column_types": {"id": "integr", "n": "int", "m": "integr(3)"}}
    with pytest.raises(ConfigurationError) as refused:
        seeds.check_types("seed.p.s", wrong, ["a", "b"], spark)
    why = '[UNSUPPORTED_DATATYPE] Unsupported data type "INTEGR".'
    assert refused.value.problems == (
        f"column_types: id: Spark refuses the type 'integr': {why}",
        f"column_types: m: Spark refuses the type 'integr(3)': {why}",
    )


def test_a_type_for_a_column_in_another_case_is_refused() -> None:
    """dbt has made a number of its text by then; a name of no column may be another seed's."""
    types = {"column_types": {"ZIP": "string", "of_another": "string"}}
    with pytest.raises(ConfigurationError, match="ZIP: the file's column is zip; write it so"):
        seeds.check_types("seed.p.s", types, ["zip"], FakeSpark())
    seeds.check_types("seed.p.s", types, ["ZIP", "zip_code"], FakeSpark())


@pytest.mark.parametrize("kind", ["varchar(2)", "CHAR ( 2 )"])
def test_a_text_that_is_too_long_fails_the_statement(kind: str) -> None:
    """To CAST both types are strings, which hold anything."""
    sql = seeds.query([SeedColumn("code", kind)], [("DEU",)])
    assert "IF(char_length(one[0]) > 2, raise_error(" in sql


def test_many_rows_are_several_texts() -> None:
    """One of them per thousand rows."""
    sql = seeds.query(COLUMNS, [(number, "") for number in range(2_001)])
    texts = re.findall(r"\((\d+), '(\[.*?\])'\)", sql)
    assert [(before, len(json.loads(text))) for before, text in texts] == [
        ("0", 1_000),
        ("1000", 1_000),
        ("2000", 1),
    ]


def test_a_seed_without_rows_is_a_query_without_rows() -> None:
    """Its table has columns all the same."""
    assert "VALUES (0, '[]')" in seeds.query(COLUMNS, [])


def test_quotes_and_variables_are_only_text() -> None:
    """Spark would replace a variable before it reads the statement."""
    sql = seeds.query(COLUMNS, [(1, "O'Hare \\ ${env:HOME} \n é")])
    assert "${" not in sql
    assert r"O\'Hare \\\\ \u0024{env:HOME} \\n é" in sql


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, None),
        ("", ""),
        (True, "true"),
        (False, "false"),
        (Decimal("1E+3"), "1000"),
        (Decimal("0.10"), "0.10"),
        (7, "7"),
        (date(2026, 1, 2), "2026-01-02"),
        (datetime(2026, 1, 2, 3, 4, 5, 6, tzinfo=timezone.utc), "2026-01-02 03:04:05.000006+00:00"),
    ],
)
def test_a_value_is_the_text_that_spark_casts(value: object, text: str | None) -> None:
    """Numbers without an exponent, times with a blank."""
    assert text_of(value) == text
