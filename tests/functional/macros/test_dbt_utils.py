"""The package that most projects have."""

import pytest

from functional import utils_package
from functional.dbt_project import Project


@pytest.mark.long
def test_macros_of_dbt_utils_mean_what_they_say(project: Project) -> None:
    """On columns and relations of files."""
    utils_package.build_and_check(project, "parquet")
