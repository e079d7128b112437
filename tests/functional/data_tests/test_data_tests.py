"""Data tests and unit tests of a project."""

from functional import tested_models
from functional.dbt_project import Project


def test_what_fails_is_stored_and_rows_of_unit_tests_are_typed(project: Project) -> None:
    """Whatever the columns of a failing query are, and those of the table that is given."""
    tested_models.build_and_check(project, "parquet")
