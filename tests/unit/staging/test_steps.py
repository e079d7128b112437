"""The seam that hooks, log, timings and crash tests share."""

from collections.abc import Callable, Sequence

import pytest
from dbt.adapters.ctas_spark.staging.files.rollback import roll_back
from dbt.adapters.ctas_spark.staging.retention.lease import Lease

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport, observe
from fakes.world import STAGING_SCHEMA, TARGET_NAME, World, killed

AT_ONCE = RetentionRules(versions_to_keep=0, grace_ms=0, unknown_after_ms=0)


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


def set_aside_and_dead(world: World) -> None:
    """A run that changes the partition keys ended before its creation."""
    ours = world.begun("create_or_replace", "may")
    with killed(world.metastore, "create_table"):
        ours.commit()
    world.storage.delete(f"{ours.root.leases}/{world.lease.id}")
    world.lease.close()
    world.lease = Lease(world.storage)


def test_the_steps_of_a_publication_follow_each_other() -> None:
    """Each begins once, and ends before the next one begins; the call lies within its commit."""
    assert steps_of(World().published) == [
        *after_each_other("begin", "stage", "verify"),
        *inside("commit", "publish"),
        *after_each_other("settle"),
    ]


def test_tracked_partitions_follow_between_commit_and_settle() -> None:
    """Their three steps come in this order."""
    seen = steps_of(lambda: World().published("create_or_replace", "may"))
    partitions = after_each_other("drop_partitions", "add_partitions", "track_partitions")
    assert seen[seen.index("< commit") + 1 : seen.index("> settle")] == partitions


def test_a_failed_step_does_not_end() -> None:
    """An abort is told, and the step that failed before it is not told as done."""
    staged = World().begun()
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


@pytest.mark.parametrize(
    ("managed", "steps"),
    [
        (False, ["set_aside", "publish", "remove_aside"]),
        (True, ["make_external", "set_aside", "publish", "remove_aside"]),
    ],
)
def test_a_commit_by_rename_reports_each_call(*, managed: bool, steps: Sequence[str]) -> None:
    """A managed entry is made external first."""
    world = World()
    world.published()
    if managed:
        world.makes_managed()
    ours = world.begun("create_or_replace", "may")
    assert steps_of(ours.commit) == ["< verify", *inside("commit", *steps)]


@pytest.mark.parametrize(
    ("managed", "steps"), [(False, ["put_back"]), (True, ["put_back", "make_managed"])]
)
def test_a_begin_reports_that_it_undoes_a_rename(*, managed: bool, steps: Sequence[str]) -> None:
    """What a dead run has set aside gets its name back within the step begin."""
    world = World()
    world.published()
    if managed:
        world.makes_managed()
    set_aside_and_dead(world)
    assert steps_of(world.table().begin) == inside("begin", *steps)[:-1]


def test_a_recovery_reports_what_it_mends() -> None:
    """A rename is undone, and the version of the dead run deleted."""
    world = World()
    world.published()
    set_aside_and_dead(world)
    context = world.table().context
    seen = steps_of(lambda: world.catalog().recover(context, AT_ONCE))
    deleted = ["fence", "take_record", "delete_files", "delete_record"]
    assert seen == inside("recover", "put_back", *deleted)


def test_a_clean_up_reports_each_deletion() -> None:
    """A superseded version needs no fence."""
    world = World()
    world.published()
    context = world.published().context
    seen = steps_of(lambda: world.catalog().clean_up(context, AT_ONCE))
    assert seen == inside("clean_up", "take_record", "delete_files", "delete_record")


def test_a_rollback_is_a_commit_within_a_step_of_its_own() -> None:
    """Its partitions are tracked within that step, too."""
    world = World()
    world.published("create_or_replace", "april")
    context = world.published("create_or_replace", "may").context
    services = world.catalog().services(STAGING_SCHEMA)
    assert steps_of(lambda: roll_back(context, services)) == [
        "> roll_back",
        *inside("commit", "publish"),
        *after_each_other("drop_partitions", "add_partitions", "track_partitions"),
        "< roll_back",
    ]
