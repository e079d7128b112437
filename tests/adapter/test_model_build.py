"""What a model is told at its end, and what is looked after when the invocation ends."""

from collections.abc import Callable

import pytest

from ctas_spark.context import Atomicity, StagingContext
from ctas_spark.engines.protocol import WriteFigures
from ctas_spark.errors import (
    AtomicityNotSupportedError,
    CommitStateUnknownError,
    ConcurrentWriteError,
    MetastoreError,
)
from ctas_spark.options import ModelPlan
from ctas_spark.publish.version import Outcome
from ctas_spark.retention.rules import RetentionRules
from dbt.adapters.ctas_spark.end_of_run import look_after
from dbt.adapters.ctas_spark.model_build import ModelBuild
from dbt.adapters.ctas_spark.model_build import planned as planned_by
from fakes.metastore import losing_the_answer
from fakes.world import CONTEXT, World

CALLS_OF_A_PLAN = ["database_location", "get_table", "create_table", "get_table", "probe"]
"""The first one of a staging schema: its id is made, and the probe is on the entry of that."""
KEEP_NONE = RetentionRules(versions_to_keep=0, grace_ms=0)


def planned_in(world: World, context: StagingContext) -> Callable[[], ModelBuild]:
    """A model with that context, which keeps no old versions."""
    model = ModelPlan(context, KEEP_NONE, 60)
    return planned_by(world.catalog(), model, world.job)


def planned(
    world: World,
    purpose: str = "create_or_replace",
    atomicity: Atomicity = Atomicity.AUTO,
) -> Callable[[], ModelBuild]:
    """A model that has its level."""
    context = world.context(purpose, atomicity=atomicity)
    return planned_in(world, context)


def staged(world: World, purpose: str = "create_or_replace", **asked: Atomicity) -> ModelBuild:
    """A model whose job and checks are done."""
    build = planned(world, purpose, **asked)()
    world.stage(build.staged)
    build.staged.verify()
    return build


def told(error: BaseException) -> RuntimeError:
    """The error as dbt raises it."""
    raised = RuntimeError(str(error))
    raised.__cause__ = error
    return raised


def test_a_publication_says_how_many_rows(world: World) -> None:
    """The console line ends with them, and run_results.json has how they were published."""
    first = world.published()
    world.job.counted = WriteFigures(rows=1_234, files=1, bytes=4)
    build = staged(world)
    assert build.on_finished()
    build.settle()
    response = build.response()
    assert str(response) == "1,234 rows published"
    found = response.to_dict(omit_none=True)
    assert found["stage_seconds"] >= 0
    assert found["commit_seconds"] >= 0
    wanted = {
        "code": "committed",
        "outcome": "committed",
        "atomicity": "isolated",
        "reader_window": "none",
        "conflict_check": "cas",
        "staging_purpose": "create_or_replace",
        "commit_strategy": "swap",
        "version": build.staged.version,
        "base_version": first.version,
        "rows_affected": 1_234,
        "files": 1,
        "bytes": 4,
    }
    assert {key: found[key] for key in wanted} == wanted
    assert "partition_metadata" not in found


def test_what_is_not_known_is_left_out(world: World) -> None:
    """An engine that counts nothing has no figures in the result."""
    build = staged(world)
    build.on_finished()
    found = build.response().to_dict(omit_none=True)
    assert not {"bytes", "files", "base_version"} & set(found)
    assert found["_message"] == "published"


def test_a_weaker_reach_is_in_the_result(world: World) -> None:
    """Level and window are those that were kept in truth."""
    world.published("create_or_replace", "may")
    context = world.begun("create_or_replace", "june").context
    build = planned_in(world, context)()
    world.stage(build.staged, "july")
    build.staged.verify()
    build.on_finished()
    build.settle()
    found = build.response()
    assert (found.atomicity, found.reader_window) == ("atomic", "mixed")
    assert found.partition_metadata == "tracked"


def test_level_none_is_published_in_place(world: World) -> None:
    """Readers see it fill."""
    build = staged(world, atomicity=Atomicity.NONE)
    build.on_finished()
    found = build.response()
    assert (found.commit_strategy, found.reader_window) == ("in_place", "mixed")
    error = ValueError("the INSERT failed")
    said = build.on_failed(error)
    assert "it keeps the rows written until then" in said


def test_a_level_that_is_not_reached_is_refused_before_any_job(world: World) -> None:
    """Nothing of the target is read."""
    world.metastore.compares = world.metastore.has_locks = False
    with pytest.raises(AtomicityNotSupportedError):
        planned(world, atomicity=Atomicity.ISOLATED)
    assert world.metastore.calls == [*CALLS_OF_A_PLAN, "supports_locks"]


def test_a_kept_table_says_so(world: World) -> None:
    """create_if_not_exists on a table that exists makes no version."""
    world.published()
    build = planned(world, "create_if_not_exists")()
    assert build.staged.outcome is Outcome.KEPT
    found = build.response().to_dict(omit_none=True)
    assert (found["outcome"], found["_message"]) == ("kept", "kept: the table exists")
    assert "version" not in found


def test_a_table_that_another_created_meanwhile_is_kept(world: World) -> None:
    """The commit says that nothing was published, and the model succeeds."""
    build = staged(world, "create_if_not_exists")
    world.published()
    assert build.staged.outcome is None
    assert build.on_finished() is False
    assert build.response().outcome == "kept"


def test_a_failure_after_a_table_was_kept_does_not_say_that_it_is_gone(world: World) -> None:
    """It was not there at begin, and nothing of this model was staged over it."""
    build = staged(world, "create_if_not_exists")
    world.published()
    assert not build.on_finished()
    said = "shop.orders was kept as it was, and nothing of this model was published"
    assert build.on_failed(RuntimeError("hook")) == f"outcome: {said}"
    assert build.holds == said


def test_old_versions_wait_for_the_end_of_the_invocation(world: World) -> None:
    """A model deletes nothing, and says what it holds; the end deletes what the rules let go."""
    first = world.published()
    world.job.counted = WriteFigures(rows=7, files=1, bytes=4)
    build = staged(world)
    build.on_finished()
    published = build.settle()
    assert world.versions_on_storage() == {first.version, build.staged.version}
    said: list[str] = []
    look_after([published], said.append)
    assert world.versions_on_storage() == {build.staged.version}
    assert said == ["1 old version was deleted"]
    assert [event.rows for event in world.catalog().history(CONTEXT)] == [7, None]


@pytest.mark.parametrize("canceled", [False, True])
def test_a_failure_before_the_commit_names_what_the_table_still_holds(
    world: World, *, canceled: bool
) -> None:
    """The message is a sentence: outcome, discarded version and the table's state."""
    first = world.published()
    build = staged(world)
    error = ValueError("broken")
    said = (build.on_canceled if canceled else build.on_failed)(error)
    version = build.staged.version
    assert said == (
        f"outcome: nothing was published; version {version} was discarded, "
        f"and shop.orders still holds version {first.version}"
    )
    assert version not in world.versions_on_storage()


def test_a_failure_says_what_could_not_be_removed(world: World) -> None:
    """A later run deletes it."""
    build = staged(world)
    world.job.stubborn = True
    error = ValueError("broken")
    said = build.on_failed(error)
    assert said.startswith("outcome: nothing was published, and shop.orders still does not exist; ")
    left = f"a later run deletes what is left of version {build.staged.version}: directory "
    assert left in said


def test_a_cancelled_model_says_what_its_table_holds(world: World) -> None:
    """The terminal shows this line alone: dbt prints no message of a cancelled model."""
    first = world.published()
    build = staged(world)
    build.on_canceled(KeyboardInterrupt())
    assert build.holds == (
        f"shop.orders still holds version {first.version}, and nothing of this model was published"
    )


def test_a_failure_after_the_commit_undoes_nothing(world: World) -> None:
    """A post-hook's error says that the version is published and stays published."""
    build = staged(world)
    build.on_finished()
    error = ValueError("post-hook")
    said = build.on_failed(error)
    kept = f"version {build.staged.version} of shop.orders was published before the error, and"
    assert said == f"outcome: {kept} stays published"
    assert said.endswith(build.holds)
    assert build.staged.version in world.versions_on_storage()


def test_an_unknown_outcome_is_said(world: World) -> None:
    """Neither version was deleted."""
    world.published()
    build = staged(world)
    world.metastore.before = losing_the_answer("alter_table")
    with pytest.raises(CommitStateUnknownError) as caught:
        build.on_finished()
    world.metastore.before = lambda _call: None
    said = build.on_failed(told(caught.value))
    version = build.staged.version
    assert said == (
        f"outcome: it is not known whether version {version} was published: shop.orders shows it "
        "or its old version, and neither was deleted"
    )
    assert build.staged.outcome is Outcome.UNKNOWN
    assert said == f"outcome: {build.holds}"
    assert build.response().outcome == "unknown"


def test_a_conflict_speaks_for_itself(world: World) -> None:
    """An error of the core that tells the table's state is not contradicted by a second one."""
    build = staged(world)
    world.published()
    with pytest.raises(ConcurrentWriteError) as caught:
        build.on_finished()
    said = build.on_failed(told(caught.value))
    assert said == f"outcome: nothing was published; version {build.staged.version} was discarded"


def test_a_plan_asks_for_nothing_but_the_staging_schema(world: World) -> None:
    """One probe, and no look at the target; a metastore that does not answer is an error."""
    planned(world)
    assert world.metastore.calls == CALLS_OF_A_PLAN
    dead = World()

    def refuse(_call: str) -> None:
        raise MetastoreError("no answer")

    dead.metastore.before = refuse
    with pytest.raises(MetastoreError):
        planned(dead)
