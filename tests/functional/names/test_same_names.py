"""Nodes of one name are different nodes."""

import re

from functional.dbt_project import Project

UNIT_TESTS = """
unit_tests:
  - {name: basic, model: MODEL, given: [], expect: {rows: [{COLUMN: 1}]}}
"""


def test_unit_tests_of_one_name_have_views_of_their_own(project: Project) -> None:
    """They run at the same time, in one session: each would read or drop the other's."""
    for model, column in (("first", "a"), ("second", "b")):
        told = UNIT_TESTS.replace("MODEL", model).replace("COLUMN", column)
        sql = f"select 1 as {column}"
        project.write({f"models/{model}.sql": sql, f"models/{model}.yml": told})
    run = project.dbt("build")
    assert run.success, run.log
    views = set(re.findall(r"basic_\w*__dbt_tmp_\w+", run.log))
    assert len(views) == 2
