"""Where the project is whose embedded metastore Spark opens."""

from pathlib import Path

import pytest

from dbt.adapters.ctas_spark import methods


@pytest.fixture
def flag(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """The directory that dbt was told, or where it was started."""
    monkeypatch.setattr(methods, "_flag", lambda _name, _default: str(tmp_path))
    return tmp_path


def test_a_project_is_where_dbt_was_told(flag: Path) -> None:
    """Whatever the working directory is."""
    (flag / "dbt_project.yml").touch()
    assert methods.project_directory() == flag


def test_dbt_init_checks_the_project_that_it_has_just_made(
    flag: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It leaves no metastore in the directory above."""
    made = flag / "shop"
    made.mkdir()
    (made / "dbt_project.yml").touch()
    monkeypatch.chdir(made)
    assert methods.project_directory() == made
