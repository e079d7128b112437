"""Spark's settings: the user's over ours."""

import socket
import struct
from pathlib import Path

import pytest

from ctas_spark.engines import launch
from ctas_spark.engines.launch import (
    require_master,
    start_spark,
    with_defaults,
)
from ctas_spark.errors import ProfileError, ServerNotReachedError
from servers.answering import answering


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


@pytest.fixture
def closed() -> int:
    """A port of this machine on which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port


def refusal(*ports: int) -> str:
    """What is said of masters at these ports."""
    master = ",".join(f"127.0.0.1:{port}" for port in ports)
    with pytest.raises(ServerNotReachedError) as caught:
        require_master({"spark.master": f"spark://{master}"})
    assert caught.value.left == "nothing was started"
    return caught.value.what.removeprefix(f"no Spark master answers at spark://{master}: ")


def test_a_master_that_does_not_answer_is_named(closed: int) -> None:
    """Of several masters one is enough, and none of them answers."""
    assert refusal(closed, closed) == "Connection refused"


def test_a_master_is_named_by_whoever_chose_it(
    closed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The user looks there for what to correct."""
    monkeypatch.setenv("PYSPARK_SUBMIT_ARGS", f"--master spark://127.0.0.1:{closed} pyspark-shell")
    with pytest.raises(ServerNotReachedError) as caught:
        require_master({})
    assert "(spark.master of PYSPARK_SUBMIT_ARGS)" in str(caught.value.remedy)


NO_SUCH_STREAM = struct.pack(">qbi", 14, 8, 1) + b"x"
"""How Spark says that it has no stream of a name."""


@pytest.mark.parametrize("answer", [b"HTTP/1.1 400 Bad Request\r\n", b"", b"\0" * 13])
def test_a_server_of_another_protocol_is_no_master(answer: bytes) -> None:
    """Spark would ask it for a minute."""
    with answering(answer) as port:
        assert refusal(port) == "what listens there does not speak Spark's protocol"


def test_a_silent_server_is_no_master(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is waited for as long as for a connection."""
    monkeypatch.setattr(launch, "CONNECT_SECONDS", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert refusal(server.getsockname()[1]) == "there was no answer within 0 s"


def test_one_of_several_masters_is_enough(closed: int) -> None:
    """The others are standby masters, which may be down."""
    with answering(NO_SUCH_STREAM) as port:
        require_master({"spark.master": f"spark://127.0.0.1:{closed},127.0.0.1:{port}"})


@pytest.mark.parametrize("master", ["local[2]", "k8s://https://127.0.0.1:1"])
def test_a_master_of_another_kind_is_spark_s_to_reach(master: str) -> None:
    """Only a standalone master is asked."""
    require_master({"spark.master": master})


@pytest.mark.parametrize("protection", ["spark.ssl.rpc.enabled", "spark.authenticate"])
def test_a_protected_master_is_only_connected_to(protection: str) -> None:
    """It would answer in TLS, or write an error into its log."""
    with answering(b"") as port:
        require_master({"spark.master": f"spark://127.0.0.1:{port}", protection: "true"})
