"""A standalone master that does not answer is named before Spark starts."""

import socket
import struct

import pytest

from ctas_spark.engines import standalone
from ctas_spark.engines.standalone import require_master
from ctas_spark.errors import ServerNotReachedError
from servers.answering import answering


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
    monkeypatch.setattr(standalone, "CONNECT_SECONDS", 0.1)
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
