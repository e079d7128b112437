"""Spark's settings: the user's over ours."""

from pathlib import Path

import pytest

from dbt.adapters.ctas_spark.staging.engines.launch import JAVA_OPTIONS, start_spark, with_defaults
from dbt.adapters.ctas_spark.staging.errors import StagingError


def test_the_users_settings_win(tmp_path: Path) -> None:
    """A default is only for what the profile leaves out."""
    found = with_defaults({"spark.ui.enabled": "true"}, str(tmp_path))
    assert found["spark.ui.enabled"] == "true"
    assert found["spark.sql.ansi.enabled"] == "false"


def test_sparks_log_goes_to_a_file(tmp_path: Path) -> None:
    """The JVM's own log does not flood dbt's console, whatever JVM options the user gives."""
    options = with_defaults({JAVA_OPTIONS: "-Xss4m"}, str(tmp_path))[JAVA_OPTIONS]
    assert options.startswith("-Xss4m ")
    assert f'"-Dctas.spark.log={tmp_path}/spark.log"' in options


def test_a_users_own_log4j_is_left_alone(tmp_path: Path) -> None:
    """A user's own log4j configuration is kept."""
    own = {JAVA_OPTIONS: "-Dlog4j2.configurationFile=mine.xml"}
    assert with_defaults(own, str(tmp_path))[JAVA_OPTIONS] == own[JAVA_OPTIONS]


def test_a_cluster_gets_no_loopback_address(tmp_path: Path) -> None:
    """Only a local master is bound to the loopback address."""
    assert "spark.driver.host" in with_defaults({}, str(tmp_path))
    assert "spark.driver.host" not in with_defaults({"spark.master": "yarn"}, str(tmp_path))


def test_a_server_that_is_named_contradicts_method_session(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A remote session is not silently taken for a local one, wherever it is asked for."""
    monkeypatch.setenv("SPARK_REMOTE", "sc://localhost")
    with pytest.raises(StagingError, match=r"SPARK_REMOTE and spark\.remote in") as caught:
        start_spark({"spark.remote": "sc://other"}, str(tmp_path))
    assert "set method: connect" in caught.value.remedy


def test_a_working_directory_with_a_space_gets_an_explicit_warehouse(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark's own default would be written to an escaped path, outside the project."""
    monkeypatch.chdir(tmp_path)
    assert "spark.sql.warehouse.dir" not in with_defaults({}, str(tmp_path))
    (tmp_path / "a project").mkdir()
    monkeypatch.chdir(tmp_path / "a project")
    found = with_defaults({}, str(tmp_path))
    assert found["spark.sql.warehouse.dir"] == str(tmp_path / "a project" / "spark-warehouse")
