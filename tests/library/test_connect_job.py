"""A model's statements over Spark Connect: stopped by their own tag, and no others."""

import threading
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from pyspark.errors import PySparkException

from ctas_spark.engines.connect import ConnectJob, closing_once, reason


@dataclass
class FakeServer:
    """``running`` are the answers to one interrupt after the other."""

    running: list[list[str]] = field(default_factory=list)
    lost: bool = False
    tags: set[str] = field(default_factory=set)
    interrupted: list[str] = field(default_factory=list)

    def addTag(self, tag: str) -> None:  # noqa: N802 (PySpark's)
        assert "," not in tag
        self.tags.add(tag)

    def clearTags(self) -> None:  # noqa: N802 (PySpark's)
        self.tags.clear()

    def interruptTag(self, tag: str) -> list[str]:  # noqa: N802 (PySpark's)
        if self.lost:
            raise PySparkException("no answer")
        self.interrupted.append(tag)
        return self.running.pop(0) if self.running else []


def job_on(server: Any, group: str = "model.a run", seconds: float = 10.0) -> ConnectJob:
    """A job of that server."""
    return ConnectJob(server, group, threading.Event(), seconds)


def test_only_its_own_statements_are_interrupted() -> None:
    """A thread's next model has another tag, and takes the first one's off."""
    server = FakeServer()
    first, second = job_on(server, "model.a"), job_on(server, "model.b")
    first.attach()
    second.attach()
    assert server.tags == {"model.b"}
    first.cancel()
    assert server.interrupted == ["model.a"]


def test_it_has_stopped_when_no_statement_is_left() -> None:
    """Clean-up that follows is not part of it."""
    server = FakeServer([["operation"], []])
    job = job_on(server, "model.a, of a run")
    job.attach()
    assert job.stop()
    assert (len(server.interrupted), server.tags) == (2, set())


def test_a_server_that_does_not_answer_leaves_it_unknown() -> None:
    """So what was staged is left to a later run."""
    assert not job_on(FakeServer(lost=True)).stop()


def test_a_statement_that_does_not_end_is_not_waited_for_forever() -> None:
    """abort_timeout."""
    assert not job_on(FakeServer([["operation"]] * 3), seconds=0.0).stop()


def test_a_session_that_is_dropped_is_not_closed_again() -> None:
    """PySpark closes it when Python drops it, in whatever thread that is, and waits there."""
    closed = []
    session = SimpleNamespace(client=SimpleNamespace(close=lambda: closed.append(1)))
    made = closing_once(session)
    made.client.close()
    made.client.close()
    assert closed == [1]


@pytest.mark.parametrize(
    ("details", "meaning"),
    [
        ("Failed parsing HTTP/2 (Trying to connect an http1.x server)", "speaks HTTP at this port"),
        ("ipv4:127.0.0.1:1: Socket closed", "probably speaks another protocol at this port"),
        ("ipv4:127.0.0.1:1: Connection refused", ""),
    ],
)
def test_a_server_that_does_not_speak_grpc_is_named(details: str, meaning: str) -> None:
    """Before gRPC's own words, which stay."""
    said = reason(PySparkException(f'<_Rendezvous of RPC:\n\tdetails = "{details}"\n\tmore>'))
    assert said.endswith(details)
    assert meaning in said
