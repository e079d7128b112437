"""One publication of save_as, on fakes."""

import _thread
import logging
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import pytest

from ctas_spark.context import TableName
from ctas_spark.dataframe.saving import Saving, in_a_thread
from ctas_spark.dataframe.session_table import SessionTable
from ctas_spark.errors import (
    JobCanceledError,
    MetastoreError,
    StagedVersionGoneError,
)
from ctas_spark.options import ModelPlan
from ctas_spark.publish.version import Outcome
from ctas_spark.retention.rules import RetentionRules
from ctas_spark.steps import Step, observe
from fakes.engine import FakeJob
from fakes.world import World

KEEP_NONE = RetentionRules(versions_to_keep=0, grace_ms=0)
QUERY = "select 1 as id"


class FakeSaveJob(FakeJob):
    """Counts how often it was cancelled."""

    cancels = 0

    def attach(self) -> None:
        """There is no thread to note."""

    def cancel(self) -> None:
        self.cancels += 1


@dataclass(frozen=True)
class FakeTable(SessionTable):
    """The world's one table, reached without a session."""

    world: World | None = None

    @contextmanager
    def opened(self) -> Iterator[Any]:
        assert self.world is not None
        catalog = self.world.catalog()
        yield SimpleNamespace(run="run", catalog_for=lambda _context: catalog)

    def job(self, group: str, canceled: threading.Event) -> Any:  # noqa: ARG002 (the table's shape)
        assert self.world is not None
        return self.world.job


@pytest.fixture
def saving(world: World) -> Saving:
    """A publication whose statement stages a version."""
    world.job = FakeSaveJob()
    spark = SimpleNamespace()
    plan = ModelPlan(world.context(), KEEP_NONE, 60)
    made = Saving(FakeTable(spark, plan, world=world), QUERY)
    spark.sql = lambda _sql: world.stage(made.staged)
    return made


def test_it_publishes_and_looks_after_the_versions_before(world: World, saving: Saving) -> None:
    """By the rules of the call."""
    before = world.published().version
    done = saving.publish()
    assert (done.outcome, done.version, done.base) == (Outcome.COMMITTED, world.shown, before)
    assert world.versions_on_storage() == {done.version}


def test_trouble_with_old_versions_is_a_warning(
    world: World, saving: Saving, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The table is published, and says so."""
    before = world.published().version

    def refuse(*_arguments: object) -> None:
        raise MetastoreError("the metastore is down")

    saving.prepare()
    monkeypatch.setattr(saving.catalog, "clean_ups", lambda *_all, **_named: refuse())
    with caplog.at_level(logging.WARNING):
        assert saving.finish().version == world.shown
    assert "shop.orders: old versions were not deleted this time" in caplog.text
    assert before in world.versions_on_storage()


def test_a_job_that_fails_leaves_nothing(world: World, saving: Saving) -> None:
    """The error is raised as it is."""
    before = world.published().version

    def fail(_sql: str) -> None:
        world.stage(saving.staged)
        raise ZeroDivisionError

    saving.table.spark.sql = fail
    with pytest.raises(ZeroDivisionError):
        saving.publish()
    assert (world.shown, world.versions_on_storage()) == (before, {before})
    assert saving.publication.outcome is Outcome.NOT_COMMITTED


def test_nothing_is_run_after_a_cancel(world: World, saving: Saving) -> None:
    """That came before the first statement."""
    saving.cancel()
    with pytest.raises(JobCanceledError):
        saving.publish()
    assert world.versions_on_storage() == set()


def test_what_vanished_between_the_steps_is_not_published(world: World, saving: Saving) -> None:
    """In the block of staged(), anything may happen."""
    before = world.published().version
    record = saving.prepare()
    assert record is not None
    del world.metastore.tables[record]
    with pytest.raises(StagedVersionGoneError):
        saving.finish()
    assert world.shown == before


class CancelsAtTheCall:
    """Cancels from another thread while the commit call is under way."""

    def __init__(self, saving: Saving) -> None:
        self.asked = threading.Thread(target=saving.cancel)
        self.waited = False

    def entered(self, step: Step, target: TableName) -> None:  # noqa: ARG002 (the seam's shape)
        if step is Step.PUBLISH:
            self.asked.start()
            self.asked.join(0.2)
            self.waited = self.asked.is_alive()

    def left(self, step: Step, target: TableName) -> None:
        """Nothing."""


def test_a_cancel_waits_for_the_commit(
    world: World, saving: Saving, caplog: pytest.LogCaptureFixture
) -> None:
    """Which is then known to have happened, and is told: the caller gets KeyboardInterrupt."""
    observer = CancelsAtTheCall(saving)
    with observe(observer), caplog.at_level(logging.WARNING):
        version = saving.publish().version
        observer.asked.join()
    assert version == world.shown
    assert observer.waited
    assert caplog.messages == [f"shop.orders: it had already been published, as version {version}"]


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """As from a terminal: a shell without one starts what runs in its background without it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("ctrl_c")
def test_ctrl_c_ends_the_wait_once_the_work_has_ended() -> None:
    """The work is told to give up, and the caller gets KeyboardInterrupt."""
    told = threading.Event()
    ended = []

    def work() -> None:
        _thread.interrupt_main()
        assert told.wait(30)
        ended.append("cleaned up")

    with pytest.raises(KeyboardInterrupt):
        in_a_thread(SimpleNamespace(), work, told.set)
    assert ended == ["cleaned up"]
