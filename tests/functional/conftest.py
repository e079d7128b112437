"""One Spark session for all functional tests, on the metastore of all suites."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from functional.dbt_project import Project, new_project
from functional.outside import Outside
from servers.metastore import Metastore


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What looks at every table of the metastore comes first, while those are few."""
    items.sort(key=lambda item: item.get_closest_marker("looks_at_every_table") is None)


@pytest.fixture(autouse=True, scope="session")
def spark_logs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Spark's own log goes next to the tests' other files."""
    directory = tmp_path_factory.getbasetemp() / "logs"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DBT_LOG_PATH", str(directory))
        yield directory


@pytest.fixture
def project(tmp_path: Path, metastore: Metastore) -> Project:
    """A project of one test."""
    return new_project(tmp_path, metastore)


@pytest.fixture
def outside(project: Project, metastore: Metastore) -> Outside:
    """The project's schema, seen from outside."""
    return Outside(metastore, project.schema)


@pytest.fixture
def spark(project: Project) -> SparkSession:
    """The session of the tests."""
    project.write({})
    assert project.dbt("debug").success
    return SparkSession.active()
