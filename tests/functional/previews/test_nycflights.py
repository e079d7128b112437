"""The preview of the whole example, with its 336,776 flights."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from functional.dbt_project import NAME, Project, new_project
from functional.permanent import everything
from servers.metastore import Metastore

EXAMPLE = Path(__file__).parents[3] / "examples" / "nycflights"
MADE = ("data", "logs", "target", "metastore_db", "spark-warehouse")


def example(directory: Path, metastore: Metastore) -> Project:
    """A copy of the example, with its data, on the tests' metastore."""
    shutil.copytree(EXAMPLE, directory, ignore=shutil.ignore_patterns(*MADE), dirs_exist_ok=True)
    subprocess.run([sys.executable, "load.py"], cwd=directory, check=True)
    project = new_project(directory, metastore)
    settings = directory / "dbt_project.yml"
    settings.write_text(settings.read_text().replace("profile: nycflights", f"profile: {NAME}"))
    project.write_profile()
    return project


@pytest.mark.long
def test_a_preview_of_the_example_finds_what_is_broken_and_changes_nothing(
    metastore: Metastore, tmp_path: Path
) -> None:
    """A model that Spark refuses, and a test that fails; without them, everything passes."""
    project = example(tmp_path, metastore)
    assert project.dbt("build").success
    before = everything(metastore, project.schema)
    whole = project.dbt("build", ctas_preview=True)
    assert whole.success, whole.log
    core = tmp_path / "models" / "marts" / "core" / "dim_dates.sql"
    core.write_text(core.read_text() + " -- \nwhere no_such_column")
    staging = tmp_path / "models" / "staging" / "stg_airlines.sql"
    staging.write_text(f"{staging.read_text()}\nunion all\n{staging.read_text()}")
    broken = project.dbt("build", ctas_preview=True)
    assert not broken.success
    assert "no_such_column" in broken.message("dim_dates")
    assert [name for name, one in broken.results.items() if one["status"] == "fail"]
    assert everything(metastore, project.schema) == before
