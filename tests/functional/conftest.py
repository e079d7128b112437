"""One remote metastore and one Spark session for all functional tests."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from functional.dbt_project import Project
from functional.outside import Outside
from readers.session import SMALL
from servers.metastore import Metastore, running_metastore

SECRET = "hush-hush-1"  # noqa: S105 (what must not be printed)
_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def metastore(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Metastore]:
    """A remote Hive metastore on Derby."""
    directory = tmp_path_factory.mktemp("metastore")
    with running_metastore(directory / "server", directory / "warehouse") as server:
        yield server


@pytest.fixture(autouse=True, scope="session")
def spark_logs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Spark's own log goes next to the tests' other files."""
    directory = tmp_path_factory.getbasetemp() / "logs"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DBT_LOG_PATH", str(directory))
        yield directory


def new_project(directory: Path, metastore: Metastore) -> Project:
    """An empty project with a schema that no other test has."""
    conf = {**SMALL, **metastore.spark_conf(), "spark.hadoop.some.password": SECRET}
    return Project(directory, f"schema_{next(_numbers)}", conf)


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
