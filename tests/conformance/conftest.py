"""One Spark and one embedded metastore for all of dbt's suite."""

from pathlib import Path

import pytest
from dbt.tests.fixtures.project import *  # noqa: F403 (the suite's fixtures)

from readers.session import SMALL


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of the metastore and its tables."""
    return tmp_path_factory.mktemp("conformance")


@pytest.fixture(scope="class")  # type: ignore[no-redef]
def dbt_profile_target(place: Path) -> dict[str, object]:
    """The profile that the suite completes with a schema of its own."""
    conf = {
        **SMALL,
        "spark.driver.memory": "1g",
        "spark.hadoop.javax.jdo.option.ConnectionURL": (
            f"jdbc:derby:;databaseName={place}/metastore_db;create=true"
        ),
        "spark.sql.warehouse.dir": f"{place}/tables",
    }
    return {"type": "ctas_spark", "threads": 4, "spark_conf": conf}
