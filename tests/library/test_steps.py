"""The seam that hooks, log, timings and crash tests share."""

from collections.abc import Callable

import pytest

from ctas_spark.context import TableName
from ctas_spark.files.record import Record
from ctas_spark.steps import Step, StepReport, observe
from fakes.world import BY_MONTH, CONTEXT, TARGET_NAME, World, killed, version_of


class Recorder:
    def __init__(self) -> None:
        self.seen: list[str] = []

    def entered(self, step: Step, target: TableName) -> None:
        assert target == TARGET_NAME
        self.seen.append(f"> {step.value}")

    def left(self, step: Step, target: TableName) -> None:
        assert target == TARGET_NAME
        self.seen.append(f"< {step.value}")


def steps_of(act: Callable[[], object]) -> list[str]:
    """The steps that an act reports, in their order."""
    recorder = Recorder()
    with observe(recorder):
        act()
    return recorder.seen


def after_each_other(*steps: str) -> list[str]:
    """Each step begins and ends before the next one."""
    return [f"{mark} {step}" for step in steps for mark in "><"]


def inside(outer: str, *steps: str) -> list[str]:
    """All of these within another step."""
    return [f"> {outer}", *after_each_other(*steps), f"< {outer}"]


PARTITIONS = ("add_partitions", "drop_partitions", "track_partitions")


@pytest.fixture
def world() -> World:
    """A catalog of tables of files."""
    return World()


def test_the_steps_of_a_publication_follow_each_other(world: World) -> None:
    """Each begins once, and ends before the next one begins; the call lies within its commit."""
    assert steps_of(world.published) == [
        *after_each_other("begin", "stage", "verify"),
        *inside("commit", "publish"),
        *after_each_other("settle"),
    ]


def test_partitions_are_tracked_within_settle(world: World) -> None:
    """Their three steps come in this order."""
    seen = steps_of(lambda: world.published("create_or_replace", "may"))
    assert seen[seen.index("> settle") :] == inside("settle", *PARTITIONS)


def test_columns_are_filled_within_settle(world: World) -> None:
    """The second call of a publication is a step of its own."""
    world.published()
    world.metastore.compares_columns = True
    ours = world.begun()
    name = version_of(ours).record
    entry = world.metastore.tables[name]
    columns = (("id", "date"),)
    object.__setattr__(entry, "columns", columns)
    ours.commit()
    assert steps_of(ours.settle) == ["< commit", *inside("settle", "fill_columns")][1:]


def test_a_begin_mends_within_itself(world: World) -> None:
    """What a crash left half done is finished before the base is taken."""
    world.begun("create_or_replace", "may").commit()
    seen = steps_of(world.plan(layout=BY_MONTH).begin)
    assert seen == inside("begin", *PARTITIONS)[:-1]


def test_a_failed_step_does_not_end(world: World) -> None:
    """An abort is told, and the step that failed before it is not told as done."""
    staged = world.begun()
    seen = steps_of(lambda: staged.abort("failed"))
    assert seen == inside("abort", "delete_files", "delete_record")


def test_a_step_that_fails_within_another_has_no_end() -> None:
    """The step around it goes on and ends."""

    def act() -> None:
        report = StepReport(TARGET_NAME)
        report.enter(Step.COMMIT)
        with pytest.raises(OSError, match="no answer"), report.within(Step.PUBLISH):
            raise OSError("no answer")
        report.leave()

    assert steps_of(act) == ["> commit", "> publish", "< commit"]


def test_a_creation_that_takes_itself_back_is_a_step(world: World) -> None:
    """Within its publishing call."""
    ours = world.begun()

    def swept(call: str) -> None:
        if call == "create_table":
            world.metastore.drop_entry(version_of(ours).record)

    world.metastore.after = swept

    def commit() -> None:
        with pytest.raises(Exception, match="a clean-up deleted"):
            ours.commit()

    assert steps_of(commit) == [
        "< verify",
        "> commit",
        "> publish",
        *after_each_other("take_back"),
    ]


def test_a_clean_up_reports_each_deletion(world: World) -> None:
    """It takes the record, and deletes in two steps."""
    world.published()
    world.published()
    seen = steps_of(world.sweep)
    assert (seen[0], seen[-1]) == ("> clean_up", "< clean_up")
    deleted = after_each_other("take_record", "delete_files", "delete_record")
    assert seen[1:-1][-6:] == deleted


def test_a_recovery_reports_what_it_finishes(world: World) -> None:
    """A deletion that a dead clean-up began."""
    old, _ = world.published(), world.published()
    with killed(world.metastore, "drop_entry"):
        world.sweep()
    record = Record.of(world.metastore.tables[version_of(old).record])
    assert record is not None
    assert record.is_deleting
    seen = steps_of(lambda: world.catalog().recover(CONTEXT))
    assert seen == inside("recover", "delete_files", "delete_record")


def test_a_rollback_is_a_publication_within_a_step_of_its_own(world: World) -> None:
    """Without a job; its partitions are tracked within settle."""
    world.published("create_or_replace", "april")
    world.published("create_or_replace", "may")
    assert steps_of(lambda: world.catalog().roll_back(CONTEXT)) == [
        "> roll_back",
        *after_each_other("begin"),
        *inside("commit", "publish"),
        *inside("settle", *PARTITIONS),
        "< roll_back",
    ]


def test_an_observer_can_end_a_run_where_it_stands() -> None:
    """What it raises goes through; that is how crash tests kill."""

    class Kills:
        def entered(self, step: Step, target: object) -> None:
            raise KeyboardInterrupt(step.value, target)

        def left(self, step: Step, target: object) -> None:
            """Nothing."""

    with observe(Kills()), pytest.raises(KeyboardInterrupt):
        StepReport(TARGET_NAME).enter(Step.BEGIN)
    StepReport(TARGET_NAME).enter(Step.BEGIN)
