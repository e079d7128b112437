"""What listens at a metastore's address is asked before Hive's client waits for it."""

import logging
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import pytest

from ctas_spark.engines import jvm, metastore_port
from ctas_spark.engines.metastore_port import OF_A_CLIENT, URIS, require_metastore
from ctas_spark.errors import MetastoreNotReachedError
from servers.answering import answering
from servers.webhook import webhook

ANSWER_OF_THRIFT = b"\x80\x01\x00\x02\x00\x00\x00\x09getStatus"
ALERT_OF_TLS = b"\x15\x03\x01\x00\x02\x02\x46"
CLOSED = "127.0.0.1:9"
SPARK: Any = None


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Hadoop's settings in the session; a server is waited for only briefly."""
    settings: dict[str, Any] = {}
    hadoop = SimpleNamespace(get=settings.get, getBoolean=lambda key, _: key in settings)
    monkeypatch.setattr(jvm, "hadoop_configuration", lambda _: hadoop)
    monkeypatch.setattr(metastore_port, "SECONDS", 0.1)
    return settings


@contextmanager
def silent() -> Iterator[int]:
    """The port of a server that takes connections, and says nothing."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize("uris", [None, "", "http://h:1", f"thrift://{CLOSED}"])
def test_what_no_connection_tells_is_left_to_hive(found: dict[str, Any], uris: str | None) -> None:
    """An embedded metastore, an address that can't be read, or one that refuses connections."""
    found[URIS] = uris
    require_metastore(SPARK)


def test_a_metastore_that_answers_is_one(found: dict[str, Any]) -> None:
    """So is the second of two, whatever the first is."""
    with answering(ANSWER_OF_THRIFT) as port, answering(b"HTTP/1.1 400 Bad") as other:
        for uris in (f"thrift://127.0.0.1:{port}", f"thrift://h:{other},thrift://h:{port}"):
            found[URIS] = uris.replace("//h", "//127.0.0.1")
            require_metastore(SPARK)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (ALERT_OF_TLS, "the server speaks TLS at this port"),
        (b"SSH-2.0", "the server gave another answer; it probably speaks another protocol"),
        (b"", "the server closed the connection; it probably speaks another protocol"),
    ],
)
def test_another_program_is_named(found: dict[str, Any], answer: bytes, said: str) -> None:
    """With the address, and nothing is waited for."""
    with answering(answer) as port:
        found[URIS] = f"thrift://127.0.0.1:{port}"
        with pytest.raises(MetastoreNotReachedError, match=said) as refused:
            require_metastore(SPARK)
    assert f"no Hive metastore answers at {found[URIS]}: " in refused.value.what


def test_an_http_server_that_waits_for_the_end_of_a_line_gets_one(found: dict[str, Any]) -> None:
    """Of several addresses, each that takes connections is named with its reason."""
    with webhook() as (address, _):
        found[URIS] = f"thrift://{CLOSED},thrift://{address}"
        with pytest.raises(MetastoreNotReachedError) as refused:
            require_metastore(SPARK)
    assert refused.value.what.endswith(
        f": {address}: the server speaks HTTP at this port, and not Thrift"
    )


def test_a_metastore_that_says_nothing_is_left_to_hive(
    found: dict[str, Any], caplog: pytest.LogCaptureFixture
) -> None:
    """It may be slow; a warning names it, because Hive's client says nothing for ten minutes."""
    with silent() as port, caplog.at_level(logging.WARNING):
        found[URIS] = f"thrift://127.0.0.1:{port}"
        require_metastore(SPARK)
    assert f"127.0.0.1:{port} takes connections, and has not answered" in caplog.text


@pytest.mark.parametrize("key", OF_A_CLIENT)
def test_a_metastore_that_is_asked_in_another_way_is_not_asked(
    found: dict[str, Any], key: str
) -> None:
    """With Kerberos, TLS or another protocol, only Hive's client can tell."""
    with answering(b"") as port:
        found.update({URIS: f"thrift://127.0.0.1:{port}", key: True})
        require_metastore(SPARK)
