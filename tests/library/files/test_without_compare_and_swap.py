"""On a metastore that only locks: every write of a target or a record happens under its lock."""

import threading
from contextlib import suppress
from dataclasses import replace

import pytest

from ctas_spark.clock import HOUR_MS
from ctas_spark.context import TableName
from ctas_spark.errors import ConcurrentWriteError, EntryModifiedError
from ctas_spark.metastore.client import VIEW
from ctas_spark.publish.version import Outcome
from ctas_spark.retention.rules import RetentionRules
from ctas_spark.steps import Step, observe
from fakes.metastore import FakeMetastore, entry
from fakes.world import CONTEXT, Staged, World, version_of

ALL_BUT_THE_LIVE_ONE = RetentionRules(versions_to_keep=0)
AT_MOST = 10.0


class Strict(FakeMetastore):
    """A server that refuses new types of columns."""

    def __init__(self) -> None:
        super().__init__()
        self.compares, self.compares_columns = False, True


class Deleting(threading.Thread):
    """A clean-up that deletes files only after others have had their time."""

    def __init__(self, world: World) -> None:
        super().__init__()
        self.world = world
        self.reached, self.may_go_on = threading.Event(), threading.Event()

    def run(self) -> None:
        self.world.sweep(ALL_BUT_THE_LIVE_ONE)

    def entered(self, step: Step, _target: TableName) -> None:
        if step is Step.DELETE_FILES and threading.current_thread() is self:
            self.reached.set()
            self.may_go_on.wait(AT_MOST)

    def left(self, _step: Step, _target: TableName) -> None:
        """Nothing."""


def staged_as(world: World, kind: str) -> Staged:
    """A version whose one column has that type."""
    staged = world.begun()
    record = version_of(staged).record
    world.metastore.tables[record] = replace(
        world.metastore.tables[record], columns=(("id", kind),)
    )
    return staged


@pytest.mark.parametrize("compares", [True, False])
def test_of_a_rollback_and_a_clean_up_one_gets_the_version(*, compares: bool) -> None:
    """What the table shows then has its files."""
    world = World()
    world.metastore.compares = compares
    first = world.published()
    world.published()
    world.clock.pass_ms(HOUR_MS + 1)
    clean_up, this = Deleting(world), threading.current_thread()

    def before(call: str) -> None:
        if call == "alter_table" and threading.current_thread() is this and not clean_up.ident:
            clean_up.start()
            clean_up.reached.wait(1.0)

    world.metastore.before = before
    with observe(clean_up):
        with suppress(ConcurrentWriteError):
            world.catalog().roll_back(CONTEXT, first.version)
        clean_up.may_go_on.set()
        clean_up.join()
    assert world.shown is None or world.shown in world.versions_on_storage()


def test_a_second_call_for_columns_takes_no_version_back() -> None:
    """A rival that comes while it is made publishes after it."""
    world = World()
    world.metastore = Strict()
    first = staged_as(world, "bigint")
    first.commit()
    first.settle()
    ours = staged_as(world, "date")
    ours.commit()
    rivals: list[Staged] = []

    def publish() -> None:
        rivals.append(staged_as(world, "date"))
        rivals[0].commit()

    rival = threading.Thread(target=publish)

    def before(call: str) -> None:
        if call == "alter_table":
            world.metastore.before = lambda _call: None
            rival.start()
            rival.join(0.5)  # it waits for the lock

    world.metastore.before = before
    ours.settle()
    rival.join(AT_MOST)
    assert [one.outcome for one in rivals] == [Outcome.COMMITTED]
    assert world.shown == rivals[0].version


def test_a_view_does_not_replace_what_another_has_published() -> None:
    """Nothing compares but the one who holds the lock."""
    world = World()
    world.metastore.compares = False
    world.published()
    change = world.catalog().view_change(CONTEXT)
    assert change is not None
    rival = world.published()
    world.metastore.tables[change.staged] = entry(change.staged, table_type=VIEW, location=None)
    with pytest.raises(EntryModifiedError):
        change.publish()
    assert world.shown == rival.version
