"""Models and data tests that are made by dbt-utils, from a checkout of the package."""

import os
from pathlib import Path

import pytest

from functional.dbt_project import Project

CHECKOUT = "DBT_UTILS"
CLONE = "git clone --branch 1.4.1 https://github.com/dbt-labs/dbt-utils ../dbt-utils"
SEEDS = {
    "seeds/a.csv": "id,Cat,amt,d\n1,x,1.5,2026-01-01\n2,y,2.5,2026-01-02\n3,it's,3.5,2026-01-05\n",
    "seeds/b.csv": "id,Cat,extra\n9,z,e\n",
}
A = "{{ ref('a') }}"
MODELS = {
    "united": "{{ dbt_utils.union_relations([ref('a'), ref('b')], exclude=['D'], "
    "source_column_name=none, column_override={'id': 'string'}) }}",
    "starred": "select {{ dbt_utils.star(ref('a'), except=['CAT', 'd'], suffix='_s') }} "
    f"from {A}",
    "pivoted": "select {{ dbt_utils.pivot('cat', dbt_utils.get_column_values(ref('a'), 'cat', "
    f"order_by='cat')) }}}} from {A}",
    "unpivoted": "{{ dbt_utils.unpivot(ref('a'), cast_to='string', exclude=['ID'], "
    "remove=['d']) }}",
    "keyed": "select {{ dbt_utils.generate_surrogate_key(['id', 'cat', 'null']) }} as k "
    f"from {A}",
    "single": f"with twice as (select * from {A} union all select id, cat, 0, d from {A}) "
    "select * from ({{ dbt_utils.deduplicate('twice', 'id', 'amt desc') }})",
    "days": "{{ dbt_utils.date_spine('day', \"date'2026-02-27'\", \"date'2026-03-02'\") }}",
    "months": "{{ dbt_utils.date_spine('month', \"date'2026-01-31'\", \"date'2026-05-05'\") }}",
    "hours": "{{ dbt_utils.date_spine('hour', \"timestamp'2026-01-01 22:00:00'\", "
    "\"timestamp'2026-01-02 01:00:00'\") }}",
    "numbers": "{{ dbt_utils.generate_series(5) }}",
    "asked": f"-- depends_on: {A}\nselect "
    "'{{ dbt_utils.get_filtered_columns_in_relation(ref('a'), except=['ID']) | join(',') }}' as c, "
    "{{ dbt_utils.get_single_value(\"select count(*) from \" ~ ref('a'), default=0) }} as n, "
    "{{ dbt_utils.safe_divide('1', '0') }} as q, "
    "{{ dbt_utils.get_url_parameter(\"'http://a.b/c?u=1&x=2'\", 'u') }} as u",
}
ROWS: dict[str, list[tuple[object, ...]]] = {
    "id, cat, amt, extra from {schema}.united": [
        ("1", "x", 1.5, None),
        ("2", "y", 2.5, None),
        ("3", "it's", 3.5, None),
        ("9", "z", None, "e"),
    ],
    "id_s, amt_s from {schema}.starred": [(1, 1.5), (2, 2.5), (3, 3.5)],
    "x, y, `it's` from {schema}.pivoted": [(1, 1, 1)],
    "* from {schema}.unpivoted": [
        *((1, "Cat", "x"), (1, "amt", "1.5"), (2, "Cat", "y"), (2, "amt", "2.5")),
        *((3, "Cat", "it's"), (3, "amt", "3.5")),
    ],
    "count(distinct k) from {schema}.keyed": [(3,)],
    "id, amt from {schema}.single": [(1, 1.5), (2, 2.5), (3, 3.5)],
    "cast(date_day as string) from {schema}.days": [
        ("2026-02-27 00:00:00",),
        ("2026-02-28 00:00:00",),
        ("2026-03-01 00:00:00",),
    ],
    "month(date_month), day(date_month) from {schema}.months": [(1, 31), (2, 28), (3, 31), (4, 30)],
    "hour(date_hour) from {schema}.hours": [(0,), (22,), (23,)],
    "* from {schema}.numbers": [(1,), (2,), (3,), (4,), (5,)],
    "* from {schema}.asked": [("Cat,amt,d", 3, None, "1")],
}
TESTS = """
models:
- name: keyed
  data_tests:
  - dbt_utils.equal_rowcount: {arguments: {compare_model: ref('a')}}
  - dbt_utils.expression_is_true: {arguments: {expression: "k is not null"}}
- name: days
  data_tests:
  - dbt_utils.recency: {arguments: {datepart: day, field: date_day, interval: 100000}}
  columns:
  - name: date_day
    data_tests:
    - dbt_utils.not_constant
    - dbt_utils.at_least_one
    - dbt_utils.not_null_proportion: {arguments: {at_least: 0.5}}
    - dbt_utils.sequential_values: {arguments: {interval: 1, datepart: day}}
- name: single
  data_tests:
  - dbt_utils.equality: {arguments: {compare_model: ref('a'), compare_columns: [id, cat, amt]}}
  - dbt_utils.unique_combination_of_columns: {arguments: {combination_of_columns: [id, cat]}}
  - dbt_utils.cardinality_equality: {arguments: {field: id, to: ref('a'), column_name: id}}
  columns:
  - name: amt
    data_tests: [{dbt_utils.accepted_range: {arguments: {min_value: 1}}}]
  - name: cat
    data_tests:
    - dbt_utils.not_empty_string
    - dbt_utils.not_accepted_values: {arguments: {values: [q]}}
  - name: id
    data_tests: [{dbt_utils.relationships_where: {arguments: {to: ref('a'), field: id}}}]
"""


def build_and_check(project: Project, file_format: str) -> None:
    """Each macro gives the rows that it promises, and every data test passes."""
    place = Path(os.environ.get(CHECKOUT) or Path(__file__).parents[4] / "dbt-utils")
    if not (place / "dbt_project.yml").exists():
        pytest.skip(f"dbt-utils is not there: {CLONE}, or {CHECKOUT} with its directory")
    of_format = f"{{{{ config(materialized='table', file_format='{file_format}') }}}}\n"
    project.write(
        {
            "packages.yml": f"packages: [{{local: '{place.absolute()}'}}]",
            "seeds/seeds.yml": "seeds:"
            + "".join(
                f"\n- {{name: {name}, config: {{file_format: {file_format}}}}}" for name in "ab"
            ),
            **SEEDS,
            **{f"models/{name}.sql": of_format + sql for name, sql in MODELS.items()},
            "models/tests.yml": TESTS,
        }
    )
    deps = project.dbt("deps")
    assert deps.success, deps.log
    run = project.dbt("build")
    assert run.success, run.log
    for query, rows in ROWS.items():
        assert sorted(map(tuple, project.rows(f"select {query}")), key=str) == rows, query
