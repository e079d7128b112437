"""What a cancel does to a model, by where the model stands."""

import threading
from multiprocessing import get_context
from types import SimpleNamespace
from typing import Any

import pytest
from dbt.adapters.contracts.connection import Connection, ConnectionState, Identifier
from dbt_common.exceptions import DbtRuntimeError

from ctas_spark.errors import JobCanceledError
from dbt.adapters.ctas_spark.connections import CtasSparkConnectionManager, SessionHandle
from dbt.adapters.ctas_spark.impl import CtasSparkAdapter
from dbt.adapters.ctas_spark.node_session import SessionsOfBatches
from dbt.adapters.ctas_spark.node_state import RunningNode
from servers.processes import wait_until


@pytest.fixture
def canceled() -> list[str]:
    """The job groups that Spark was asked to cancel."""
    return []


@pytest.fixture
def handle(canceled: list[str]) -> SessionHandle:
    """A handle on a session that runs nothing."""
    jvm_context = SimpleNamespace(cancelJobGroupAndFutureJobs=canceled.append)
    context = SimpleNamespace(version="4.1.4", _jsc=SimpleNamespace(sc=lambda: jvm_context))
    session: Any = SimpleNamespace(sparkContext=context)
    return SessionHandle(session)


def test_a_cancel_waits_for_a_commit_under_way(handle: SessionHandle, canceled: list[str]) -> None:
    """It is decided and said what became of the model before anything is reported of it."""
    handle.new_job("model")
    canceling = threading.Thread(target=handle.cancel)

    def commit() -> bool:
        canceling.start()
        wait_until(lambda: handle.canceled, 10.0, "the cancel")
        assert canceled == []
        return True

    assert handle.decide(commit)
    canceling.join()
    assert handle.published
    assert canceled == ["model"]


def test_an_ended_spark_is_cancelled_without_an_error() -> None:
    """dbt goes on to its end messages, which say why the model failed."""

    def refused() -> None:
        raise ConnectionRefusedError(111, "refused")

    session: Any = SimpleNamespace(sparkContext=SimpleNamespace(_jsc=SimpleNamespace(sc=refused)))
    handle = SessionHandle(session)
    handle.cancel()
    assert handle.canceled


def test_a_commit_that_fails_publishes_nothing(handle: SessionHandle) -> None:
    """The next cancel is not held up, and reports the model as cancelled."""
    handle.new_job("model")

    def commit() -> bool:
        raise JobCanceledError("cancelled before the call")

    with pytest.raises(JobCanceledError):
        handle.decide(commit)
    assert not handle.published
    handle.cancel()


def test_the_next_model_is_not_published_yet(handle: SessionHandle) -> None:
    """A thread's next model has a job, and a fate, of its own."""
    handle.new_job("first")
    handle.decide(lambda: True)
    handle.new_job("second")
    assert not handle.published


def test_only_models_that_run_are_reported_as_cancelled(handle: SessionHandle) -> None:
    """One that is published, and one that ended before, keep what was said of them."""
    published, ended = SessionHandle(handle.spark), SessionHandle(handle.spark)
    published.decide(lambda: True)
    profile: Any = None
    manager = CtasSparkConnectionManager(profile, get_context("spawn"))
    manager.thread_connections = {
        name: Connection(Identifier("ctas_spark"), name, profile, state, handle=one)
        for name, state, one in (
            ("running", ConnectionState.OPEN, handle),
            ("published", ConnectionState.OPEN, published),
            ("ended", ConnectionState.CLOSED, ended),
        )
    }
    assert manager.cancel_open() == ["running"]
    assert published.canceled
    assert not ended.canceled


def test_nothing_runs_after_a_cancel(handle: SessionHandle) -> None:
    """Hooks and grants of a cancelled model are refused, and say why."""
    handle.give_up()
    with pytest.raises(JobCanceledError):
        handle.execute("select 1")


def opening(monkeypatch: pytest.MonkeyPatch, handle: SessionHandle) -> CtasSparkConnectionManager:
    """A manager whose connections get ``handle`` when they are first used."""

    def opened(connection: Connection) -> Connection:
        connection.handle, connection.state = handle, ConnectionState.OPEN
        return connection

    profile: Any = SimpleNamespace(credentials=None)
    manager = CtasSparkConnectionManager(profile, get_context("spawn"))
    monkeypatch.setattr(manager, "open", opened)
    return manager


def test_a_model_that_begins_while_others_are_cancelled_is_refused(
    monkeypatch: pytest.MonkeyPatch, handle: SessionHandle
) -> None:
    """The cancel opens no connection for it; its own thread does, and may run nothing."""
    manager = opening(monkeypatch, handle)
    named, canceled = threading.Event(), threading.Event()

    def model() -> None:
        connection = manager.set_connection_name("model")
        named.set()
        assert canceled.wait(10.0)
        assert connection.handle is handle

    thread = threading.Thread(target=model)
    thread.start()
    assert named.wait(10.0)
    assert manager.cancel_open() == []
    canceled.set()
    thread.join()
    assert handle.canceled


def test_the_thread_that_cancels_goes_on(
    monkeypatch: pytest.MonkeyPatch, handle: SessionHandle
) -> None:
    """With --fail-fast it still runs hooks at the end of the run."""
    manager = opening(monkeypatch, handle)
    manager.cancel_open()
    assert manager.set_connection_name("master").handle is handle
    assert not handle.canceled


def connected(node: object) -> None:
    """Ctrl-C while the adapter has a connection for a model, or for something else."""
    adapter: Any = CtasSparkAdapter.__new__(CtasSparkAdapter)
    adapter.hide_secrets = str
    batches = SessionsOfBatches()
    adapter._components = SimpleNamespace(  # noqa: SLF001 (it is made without dbt)
        invocation=SimpleNamespace(batches=batches)
    )
    manager: Any = SimpleNamespace(
        query_header=None, set_connection_name=id, release=dict, running=RunningNode()
    )
    adapter.connections = manager
    with adapter.connection_named("any", node):
        raise KeyboardInterrupt


def test_ctrl_c_in_an_operation_or_a_hook_is_an_error_of_dbts() -> None:
    """Of any other, dbt prints the traceback."""
    with pytest.raises(DbtRuntimeError, match=r"\[JOB_CANCELED\] the run was stopped"):
        connected(None)


def test_ctrl_c_in_a_model_goes_on_to_dbt() -> None:
    """dbt cancels the other models then, and begins none."""
    with pytest.raises(KeyboardInterrupt):
        connected("model")
