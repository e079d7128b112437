"""Data tests that store what fails, and unit tests whose rows are nested."""

import json
from collections.abc import Mapping

from functional.dbt_project import NAME, Project

ROWS = "values (1, 'a', 'x'), (1, 'b', 'y'), (null, 'c', 'z') as t(id, `some-col`, `group`)"
NESTED = """
select 1 as id, named_struct('code', 'a', 'n', 1) as s, array(1, 2) as arr, map('k', 'v') as m,
  cast(1.5 as decimal(10,2)) as amt, array(named_struct('a$b', 1)) as sarr, 'x' as txt,
  timestamp'2026-01-02 03:04:05' as at, timestamp_ntz'2026-01-02 03:04:05' as ntz,
  date'2026-01-02' as day, true as flag
"""
COLUMNS = "id, s.code as code, s, arr, m, sarr, amt, txt, at, ntz, day, flag"
SCHEMA = r"""
models:
  - name: m
    columns:
      - {name: id, data_tests: [unique, not_null]}
      - {name: some-col, quote: true, data_tests: [unique]}
      - {name: group, data_tests: [not_null]}
unit_tests:
  - name: by_name
    model: nested_out
    given:
      - input: ref('nested')
        rows:
          - {id: 7, s: {n: 3, code: "it's"}, arr: [1, 2], m: {k: "v"}, sarr: [{a$b: 5}], amt: 12.34,
             at: 2026-05-06 07:08:09, ntz: "2026-05-06 07:08:09", day: 2026-05-06, flag: false}
          - {id: 8, arr: [], txt: 'a\b "q"'}
    expect:
      rows:
          - {id: 7, code: "it's", s: {code: "it's", n: 3}, arr: [1, 2], m: {k: "v"},
             sarr: [{a$b: 5}], amt: 12.34, txt: null, at: 2026-05-06 07:08:09,
             ntz: "2026-05-06 07:08:09", day: 2026-05-06, flag: false}
          - {id: 8, code: null, s: null, arr: [], m: null, sarr: null, amt: null, txt: 'a\b "q"',
             at: null, ntz: null, day: null, flag: null}
  - name: of_csv
    model: nested_out
    given: [{input: ref('nested'), format: csv, rows: "id,amt,day,txt\n1,3.50,2026-01-01,hi\n"}]
    expect: {format: csv, rows: "id,amt,day,txt\n1,3.50,2026-01-01,hi\n"}
  - name: differs
    model: nested_out
    given: [{input: ref('nested'), rows: [{id: 7, s: {code: "q", n: 3}}]}]
    expect: {rows: [{id: 7, s: {code: "q", n: 4}}]}
  - name: misspelt
    model: nested_out
    given: [{input: ref('nested'), rows: [{id: 7, s: {cod: "q"}}]}]
    expect: {rows: [{id: 7}]}
"""
TESTS = {
    "tests/counted.sql": "select count(*), id, max(`some-col`) from {{ ref('m') }} group by id "
    "having count(*) > 1",
    "tests/ended.sql": "select id from {{ ref('m') }} where id = 1;",
    "tests/shown.sql": "{{ config(store_failures_as='view') }} select id from {{ ref('m') }}",
    "tests/unstored.sql": "{{ config(store_failures_as='ephemeral') }} "
    "select id from {{ ref('m') }}",
}
THEN = {
    "tests/counted.sql": "select count(*), id from {{ ref('m') }} group by id having count(*) > 9",
    "tests/shown.sql": TESTS["tests/shown.sql"].replace("'view'", "'table'"),
}
FAILED = {"unique_m_id", "not_null_m_id", "counted", "ended", "shown", "unstored"}
AUDIT = "select * from {schema}_dbt_test__audit."


def build_and_check(project: Project, file_format: str) -> None:
    """What fails is stored, whatever its columns are, and again with other ones.

    Rows of unit tests have the types of the table's columns, and fields by their names.
    """
    config = f"{{{{ config(materialized='table', file_format='{file_format}') }}}} "
    tests, then_tests = TESTS, THEN
    if file_format == "delta":  # whose columns have no brackets in their names
        tests, then_tests = (_aliased(one) for one in (TESTS, THEN))
    stored = {"+store_failures": True, "+file_format": file_format}
    settings = {"name": NAME, "profile": NAME, "data_tests": {NAME: stored}}
    project.write(
        {
            "dbt_project.yml": json.dumps(settings),
            "models/m.sql": f"{config} select * from {ROWS}",
            "models/nested.sql": config + NESTED,
            "models/nested_out.sql": f"select {COLUMNS} from {{{{ ref('nested') }}}}",
            "models/schema.yml": SCHEMA,
            **tests,
        }
    )
    assert project.dbt("run").success
    run = project.dbt("test")
    for ended in (
        "PASS nested_out::by_name",
        "PASS nested_out::of_csv",
        "FAIL 1 nested_out::differs",
        "no field cod",
    ):
        assert ended in run.log, run.log
    assert {name for name, one in run.results.items() if one["status"] == "fail"} >= FAILED
    assert project.rows(f"{AUDIT}counted") == [(2, 1, "b")]
    assert project.rows(f"{AUDIT}ended") == [(1,), (1,)]
    project.write({"dbt_project.yml": json.dumps(settings), **then_tests})
    then = project.dbt("test", "--select=counted shown")
    assert then.results["counted"]["status"] == "pass"
    assert project.rows(f"{AUDIT}counted") == []
    assert len(project.rows(f"{AUDIT}shown")) == 3
    kinds = {row.tableName for row in project.rows("show tables in {schema}_dbt_test__audit")}
    views = {row.viewName for row in project.rows("show views in {schema}_dbt_test__audit")}
    assert {"counted", "ended", "shown"} <= kinds
    assert views == set()
    assert "unstored" not in kinds


def _aliased(tests: Mapping[str, str]) -> dict[str, str]:
    return {
        path: text.replace("count(*),", "count(*) as n,").replace("`) from", "`) as last from")
        for path, text in tests.items()
    }
