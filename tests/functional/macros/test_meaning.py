"""What dbt's cross-database macros mean, in one run."""

import json
from collections.abc import Iterator, Mapping

import pytest
from pyspark.sql import SparkSession

from functional.dbt_project import Project


def datediff(first: str, second: str, part: str) -> str:
    """The macro's call."""
    return f"datediff(\"'{first}'\", \"'{second}'\", '{part}')"


T, D = "timestamp'2025-03-01 00:00:00'", "date'2025-03-10'"
MEANING: Mapping[str, str | None] = {
    # intervals are expressions
    f"dateadd('minute', 'id - 1', \"{T}\")": "2025-02-28 23:59:00",
    f"dateadd('HOUR', 'id - 1', \"{T}\")": "2025-02-28 23:00:00",
    f"dateadd('Second', 'id - 1', \"{T}\")": "2025-02-28 23:59:59",
    f"dateadd('millisecond', 'id + 1', \"{T}\")": "2025-03-01 00:00:00.001",
    f"dateadd('microsecond', 'id + 1', \"{T}\")": "2025-03-01 00:00:00.000001",
    f"dateadd('hour', 0.5, \"{T}\")": "2025-03-01 00:30:00",
    f"dateadd('week', 'id - 1', \"{D}\")": "2025-03-03 00:00:00",
    f"dateadd('DAY', 'id - 1', \"{D}\")": "2025-03-09 00:00:00",
    f"dateadd('quarter', 'id - 1', \"{D}\")": "2024-12-10 00:00:00",
    f"dateadd('year', 'id - 1', \"{D}\")": "2024-03-10 00:00:00",
    "dateadd('month', 1, \"timestamp'2025-01-31 10:11:12.5'\")": "2025-02-28 10:11:12.5",
    "dateadd('day', 1, \"'1969-12-31 23:30:00'\")": "1970-01-01 23:30:00",
    "dateadd('hour', 6, \"timestamp'1969-12-31 23:30:00'\")": "1970-01-01 05:30:00",
    "dateadd('day', 'null', 'current_date')": None,
    # borders, across 1970 in a zone that is half an hour off
    datediff("1970-01-01 05:00:00", "1970-01-01 06:00:00", "hour"): "1",
    datediff("1969-12-31 23:59:00", "1970-01-01 06:00:00", "HOUR"): "7",
    datediff("1970-01-01 06:00:00", "1969-12-31 23:59:00", "hour"): "-7",
    datediff("1970-01-01 05:29:59", "1970-01-01 05:30:01", "minute"): "1",
    datediff("1970-01-01 05:29:59.9", "1970-01-01 05:30:00", "second"): "1",
    datediff("1969-12-31 23:59:59", "1970-01-01 00:00:00", "Day"): "1",
    datediff("1969-12-27", "1970-01-04", "week"): "2",
    datediff("2025-01-04", "2025-01-06", "week"): "1",
    datediff("2025-01-31", "2025-02-01", "month"): "1",
    datediff("2025-04-01", "2025-03-31", "quarter"): "-1",
    datediff("2024-12-31", "2025-01-01", "year"): "1",
    "date_trunc('HOUR', \"timestamp'1969-12-31 23:40:00'\")": "1969-12-31 23:00:00",
    "date_trunc('week', \"timestamp'2025-01-01 10:11:12'\")": "2024-12-30 00:00:00",
    "last_day(\"date'2024-02-03'\", 'MONTH')": "2024-02-29",
    "last_day(\"date'2024-02-03'\", 'quarter')": "2024-03-31",
    "last_day(\"date'1969-12-31'\", 'year')": "1969-12-31",
}
TEXTS: Mapping[str, str | None] = {
    "split_part(\"'ab=1'\", \"'b='\", 2)": "1",
    "split_part(\"'k::v'\", \"'::'\", 2)": "v",
    "split_part(\"'a.b.c'\", \"'.'\", -1)": "c",
    "split_part(\"'a||b'\", \"'||'\", 2)": "b",
    "split_part(\"'a[b](c*d'\", \"']('\", 2)": "c*d",
    "split_part(\"'a_b'\", \"'_'\", 1)": "a",
    "split_part(\"'a'\", \"','\", 3)": "",
    "position(\"'b'\", \"'abc'\")": "2",
    "position(\"'.'\", \"'abc'\")": "0",
    "replace(\"'a.b'\", \"'.'\", \"'|'\")": "a|b",
    "right(\"'abc'\", 0)": "",
    "right(\"'abc'\", 2)": "bc",
    "length(\"'abc'\")": "3",
    "concat([\"'a'\", \"'b'\"])": "ab",
    "hash(\"'a'\")": "0cc175b9c0f1b6a831c399e269772661",
    "safe_cast(\"'x1'\", 'int')": None,
    "safe_cast(\"'12'\", 'int')": "12",
    "cast_bool_to_text('true')": "true",
    'string_literal(dbt.escape_single_quotes("it\'s"))': "it's",
    "array_append(dbt.array_construct([1, 2], 'int'), 3)": "[1, 2, 3]",
    "array_concat(dbt.array_construct([], 'int'), 'array(1)')": "[1]",
}
AGGREGATES: Mapping[str, str | None] = {
    "listagg('x', \"'|'\", 'order by x desc')": "3|2|10|1",
    "listagg('x', \"'.'\", 'order by x', 2)": "1.10",
    "listagg('nothing', \"'|'\")": None,
    "bool_or(\"x = '3'\")": "true",
    "bool_or(\"x = '4'\")": "false",
    "any_value('maybe')": "5",
}
VALUES = "values ('1', null), ('3', null), ('2', 5), ('10', null) as t(x, maybe)"


def selected(calls: Mapping[str, str | None], rows: str) -> str:
    """One column of text for each call."""
    columns = ", ".join(
        f"cast({{{{ dbt.{call} }}}} as string) as c{number}" for number, call in enumerate(calls)
    )
    return f"{{{{ config(materialized='table') }}}} select {columns} from {rows}"


def spine(part: str, start: str, end: str) -> str:
    """A table of moments."""
    moments = ", ".join(f"\"timestamp'{one}'\"" for one in (start, end))
    rows = f"{{{{ dbt.date_spine('{part}', {moments}) }}}}"
    text = f"select cast(date_{part} as string) as at from ({rows})"
    return f"{{{{ config(materialized='table') }}}} {text}"


SPINES = {
    "minutes": ["1969-12-31 23:58:00", "1969-12-31 23:59:00", "1970-01-01 00:00:00"],
    "hours": [f"1970-01-01 0{hour}:00:00" for hour in (4, 5, 6)],
}


@pytest.fixture
def zone(spark: SparkSession) -> Iterator[str]:
    """A zone in which no hour begins with one of UTC's, as long as the test runs."""
    before = spark.conf.get("spark.sql.session.timeZone")
    yield "Asia/Kolkata"
    spark.conf.set("spark.sql.session.timeZone", str(before))


def test_the_macros_mean_what_they_say(project: Project, zone: str) -> None:
    """In a zone that is half an hour off, across 1970, with expressions and odd delimiters."""
    calls = {**MEANING, **TEXTS}
    values = f"(select *, cast(null as string) as nothing from {VALUES})"
    config = {"name": "tested", "version": "1.0.0", "profile": "tested"}
    project.write(
        {
            "models/scalars.sql": selected(calls, "range(1)"),
            "models/aggregates.sql": selected(AGGREGATES, values),
            "models/minutes.sql": spine("minute", "1969-12-31 23:58:00", "1970-01-01 00:01:00"),
            "models/hours.sql": spine("hour", "1970-01-01 04:00:00", "1970-01-01 07:00:00"),
            "dbt_project.yml": json.dumps({**config, "on-run-start": f"set time zone '{zone}'"}),
        }
    )
    assert project.dbt("run").success
    for model, expected in (("scalars", calls), ("aggregates", AGGREGATES)):
        (row,) = project.rows(f"select * from {project.schema}.{model}")
        assert dict(zip(expected, row, strict=True)) == expected
    for model, moments in SPINES.items():
        rows = project.rows(f"select at from {project.schema}.{model} order by at")
        assert [row[0] for row in rows] == moments
