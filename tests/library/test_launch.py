"""Spark's settings: the user's over ours."""

from pathlib import Path

import pytest

from ctas_spark.engines import launch
from ctas_spark.engines.launch import start_spark
from ctas_spark.engines.precedence import with_defaults
from ctas_spark.errors import ProfileError


def test_the_users_settings_win(tmp_path: Path) -> None:
    """A default is only for what the profile leaves out."""
    found = with_defaults({"spark.ui.enabled": "true"}, str(tmp_path))
    assert found["spark.ui.enabled"] == "true"
    assert found["spark.sql.ansi.enabled"] == "false"


def test_only_what_the_launcher_reads_is_on_the_command_line() -> None:
    """Every user of the machine can read that; Spark's context gets all settings by another way."""
    read = ("spark.driver.memory", "spark.jars.packages", "spark.master", "spark.submit.deployMode")
    assert all(map(launch.BY_LAUNCHER.fullmatch, read))
    others = ("spark.my.thing", "spark.sql.catalog.r.uri", "spark.hadoop.fs.s3a.access.key")
    assert not any(map(launch.BY_LAUNCHER.fullmatch, others))


def test_a_cluster_gets_no_loopback_address(tmp_path: Path) -> None:
    """Only a local master is bound to the loopback address."""
    assert "spark.driver.host" in with_defaults({}, str(tmp_path))
    assert "spark.driver.host" not in with_defaults({"spark.master": "yarn"}, str(tmp_path))


@pytest.mark.parametrize(
    ("name", "ours", "theirs"),
    [
        ("spark.scheduler.mode", "FAIR", "FIFO"),
        ("spark.databricks.delta.snapshotPartitions", "4", "50"),
    ],
)
def test_a_local_spark_is_set_up_for_few_cores(
    name: str, ours: str, theirs: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Unless the user, or an administrator, has chosen how it works."""
    assert with_defaults({}, "logs")[name] == ours
    assert with_defaults({name: theirs}, "logs")[name] == theirs
    assert name not in with_defaults({"spark.master": "yarn"}, "logs")
    (tmp_path / "spark-defaults.conf").write_text(f"{name} {theirs}\n")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    assert with_defaults({}, "logs")[name] == theirs


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


@pytest.mark.parametrize(
    ("jars", "missing"),
    [
        ("/nowhere/a.jar", ["/nowhere/a.jar"]),
        ("file:///nowhere/a.jar, b.jar", ["///nowhere/a.jar", "b.jar"]),
    ],
)
def test_a_jar_that_is_not_there_is_refused(jars: str, missing: list[str], tmp_path: Path) -> None:
    """Spark would start without it; what lies elsewhere, or is a pattern, is Spark's to find."""
    others = "hdfs://nn/c.jar,/nowhere/*.jar"
    with pytest.raises(ProfileError) as caught:
        start_spark({"spark.jars": f"{jars},{others}"}, str(tmp_path))
    said = str(caught.value).splitlines()
    assert said[1:] == [f"  - spark.jars: there is no file {path}" for path in missing]
