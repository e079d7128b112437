"""One Spark and one embedded metastore for all of dbt's suite."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from dbt.tests.fixtures.project import *  # noqa: F403 (the suite's fixtures)

from conformance import dialect
from dbt.adapters.ctas_spark.impl import CtasSparkAdapter
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


@pytest.fixture(autouse=True, scope="session")
def _fixtures_in_sparks_sql() -> Iterator[None]:
    """The suite's own statements, such as those that make a table to compare with."""

    def run_sql_for_tests(_: object, sql: str, fetch: str, conn: Any) -> Any:
        cursor = conn.handle.cursor()
        dialect.run(cursor, sql)
        rows = cursor.fetchall() if fetch in {"one", "all"} else None
        return rows[0] if rows and fetch == "one" else rows

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(CtasSparkAdapter, "run_sql_for_tests", run_sql_for_tests)
        yield
