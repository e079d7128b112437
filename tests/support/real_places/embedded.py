"""What projects on other storages share: Spark in this process, and its embedded metastore."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from functional.dbt_project import Project
from readers.session import SMALL


def started_project(
    directory: Path, schema: str, warehouse: str, metastore: Path, **settings: str
) -> Project:
    """A project whose Spark runs in this process, and has opened its metastore."""
    conf = {
        **SMALL,
        **settings,
        "spark.sql.catalogImplementation": "hive",
        "spark.sql.warehouse.dir": warehouse,
        "spark.hadoop.javax.jdo.option.ConnectionURL": (
            f"jdbc:derby:;databaseName={metastore};create=true"
        ),
    }
    project = Project(directory, schema, conf)
    project.write({})
    assert project.dbt("debug").success
    return project


@pytest.fixture(autouse=True, scope="session")
def spark_logs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Spark's own log goes next to the tests' other files."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DBT_LOG_PATH", str(tmp_path_factory.getbasetemp() / "logs"))
        yield


@pytest.fixture(scope="session")
def metastore(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of the metastore's database."""
    return tmp_path_factory.mktemp("metastore") / "database"
