"""One Spark with Delta, and one embedded metastore, for all of dbt's suite."""

import shutil
import sys
from collections.abc import Iterator
from inspect import getfile
from pathlib import Path
from typing import Any

import pytest
from dbt.adapters.spark.impl import SparkAdapter
from dbt.tests.fixtures.project import *  # noqa: F403 (the suite's fixtures)
from dbt.tests.fixtures.project import TestProjInfo

from conformance import dialect
from conformance.profile import profile
from conformance.suite import LONG, classes, suite_class
from functional.quick_dbt import quicken_dbt

quicken_dbt()


def pytest_addoption(parser: pytest.Parser) -> None:
    """The adapter that the suite is run on."""
    parser.addoption("--stock", action="store_true", help="run stock dbt-spark instead of ours")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what takes long."""
    for item in items:
        if isinstance(item, pytest.Function) and suite_class(item.cls).startswith(LONG):
            item.add_marker(pytest.mark.long)


@pytest.fixture(scope="session")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of the metastore and its tables."""
    return tmp_path_factory.mktemp("conformance")


@pytest.fixture(scope="class")  # type: ignore[no-redef]
def dbt_profile_target(place: Path, pytestconfig: pytest.Config) -> dict[str, object]:
    """The profile that the suite completes with a schema of its own."""
    return profile(place, stock=pytestconfig.getoption("--stock"))


@pytest.fixture(scope="class")  # type: ignore[no-redef]
def profile_user() -> str:
    """Whom the metastore names as the owner of what Spark creates."""
    return Path.home().owner()


@pytest.fixture(scope="class")  # type: ignore[no-redef]
def test_data_dir(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the files that lie next to the suite's class; some tests change and remove it."""
    data = Path(getfile(classes()[suite_class(request.cls)])).parent / "data"
    copy = tmp_path_factory.mktemp("files") / "data"
    if data.is_dir():
        shutil.copytree(data, copy)
    return copy


class Current:
    """The format of what the running class makes."""

    file_format = ""


@pytest.fixture(autouse=True, scope="class")
def _format_of_class(request: pytest.FixtureRequest) -> Iterator[None]:
    """A class that needs UPDATE, DELETE or MERGE says ``file_format = "delta"``."""
    Current.file_format = getattr(request.cls, "file_format", "")
    yield
    Current.file_format = ""


@pytest.fixture(autouse=True, scope="session")
def _in_sparks_dialect() -> Iterator[None]:
    """The suite's own statements and files."""

    def run_sql_for_tests(_: object, sql: str, fetch: str, __: object) -> Any:
        return dialect.fetched(sql, fetch, Current.file_format)

    def write_file(text: str, *paths: Any) -> None:
        path = Path(*map(str, paths))
        path.write_text(dialect.contents(text, path, Current.file_format), "utf-8")

    def get_tables_in_schema(project: TestProjInfo) -> dict[str, str]:
        with project.adapter.connection_named("_test"):
            where = project.adapter.Relation.create(project.database, project.test_schema)
            found = project.adapter.list_relations_without_caching(where)
        return {one.identifier: str(one.type) for one in found}

    classes()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(SparkAdapter, "run_sql_for_tests", run_sql_for_tests)
        patch.setattr(TestProjInfo, "get_tables_in_schema", get_tables_in_schema)
        for name, module in list(sys.modules.items()):
            if name.startswith("dbt.tests.") and hasattr(module, "write_file"):
                patch.setattr(module, "write_file", write_file)
        yield
