"""Where an embedded metastore and its tables lie."""

import logging
from pathlib import Path

import pytest

from ctas_spark.engines import embedded
from ctas_spark.engines.embedded import (
    CONNECTION_URL,
    URIS,
    WAREHOUSE,
    WAREHOUSES,
    beside,
)

THREE = [*URIS, CONNECTION_URL]


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A working directory, which has Spark's configuration, without one of the machine's own."""
    there = tmp_path / "elsewhere"
    there.mkdir()
    monkeypatch.chdir(there)
    monkeypatch.setenv("SPARK_HOME", str(tmp_path))
    monkeypatch.setenv("SPARK_CONF_DIR", str(there))
    monkeypatch.delenv("HADOOP_CONF_DIR", raising=False)
    return there


def test_both_are_in_the_project(tmp_path: Path) -> None:
    """Whatever directory dbt is run in."""
    assert beside({}, tmp_path) == {
        CONNECTION_URL: f"jdbc:derby:;databaseName={tmp_path}/metastore_db;create=true",
        WAREHOUSE: f"file:{tmp_path}/spark-warehouse",
    }


def test_a_path_with_a_blank_is_not_escaped(tmp_path: Path) -> None:
    """Spark would write to a directory with %20 in its name."""
    found = beside({}, tmp_path / "a project")
    assert found[WAREHOUSE] == f"{tmp_path}/a project/spark-warehouse"


@pytest.mark.parametrize("key", THREE)
def test_another_metastore_is_left_alone(key: str, tmp_path: Path, elsewhere: Path) -> None:
    """In the profile, or for every session of the machine."""
    assert beside({key: "x"}, tmp_path) == {}
    (elsewhere / "spark-defaults.conf").write_text(f"# ours\n{key}  x\n")
    assert beside({}, tmp_path) == {}


def test_a_hive_site_is_left_alone(tmp_path: Path, elsewhere: Path) -> None:
    """It may name a metastore, or a warehouse."""
    (elsewhere / "hive-site.xml").touch()
    assert beside({}, tmp_path) == {}


@pytest.mark.parametrize("key", WAREHOUSES)
def test_another_warehouse_moves_only_the_tables(key: str, tmp_path: Path) -> None:
    """The metastore stays in the project."""
    assert [*beside({key: "x"}, tmp_path)] == [CONNECTION_URL]


def test_a_metastore_in_the_working_directory_is_named(
    tmp_path: Path, elsewhere: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """That is where dbt-spark has it; the project's own, once it is there, is what is meant."""
    (elsewhere / "metastore_db").mkdir()
    with caplog.at_level(logging.WARNING):
        beside({}, tmp_path)
    (line,) = (one.getMessage() for one in caplog.records if one.name == embedded.__name__)
    assert line == (
        f"the metastore {elsewhere}/metastore_db, in the working directory, is not used: that of "
        f"this project is {tmp_path}/metastore_db, and does not exist yet. To use the former, set "
        f"in spark_conf of the profile {CONNECTION_URL} to "
        f"jdbc:derby:;databaseName={elsewhere}/metastore_db and {WAREHOUSE} to "
        f"file:{elsewhere}/spark-warehouse"
    )


def test_the_metastore_of_the_project_is_not_named(
    tmp_path: Path, elsewhere: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The one elsewhere is another project's, or was looked at before."""
    for directory in (tmp_path, elsewhere):
        (directory / "metastore_db").mkdir()
    beside({}, tmp_path)
    assert caplog.messages == []
