"""What a model is told at its end."""

import pytest
from dbt.adapters.ctas_spark.staging.files.staged_file_table import StagedFileTable

from dbt.adapters.ctas_spark.model_build import ModelBuild
from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.staging.errors import ConcurrentWriteError
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules
from fakes.world import World


@pytest.fixture
def world() -> World:
    """A catalog on fakes."""
    return World()


def build_of(world: World, purpose: str = "create_or_replace") -> ModelBuild:
    """A planned build of the one target."""
    context = world.table(purpose).context
    return ModelBuild.planned(world.catalog(), context, world.job, RetentionRules())  # type: ignore[arg-type]


def staged_files(build: ModelBuild) -> StagedFileTable:
    """What the world stages rows into."""
    assert isinstance(build.staged, StagedFileTable)
    return build.staged


def through_commit(world: World, build: ModelBuild) -> None:
    """Take a build as far as its commit."""
    build.begin()
    world.stage(staged_files(build))
    build.staged.verify()
    build.hook.on_finished()


def test_a_publication_says_version_and_rows(world: World) -> None:
    """The console line ends with the version, and with the rows where they are known."""
    build = build_of(world)
    through_commit(world, build)
    build.figures = WriteFigures(rows=1_234)
    response = build.response()
    assert str(response) == f"published {build.staged.version}, 1,234 rows"
    assert "bytes" not in response.to_dict(omit_none=True)


def test_a_kept_table_says_so(world: World) -> None:
    """create_if_not_exists on a table that exists reports kept and no version of its own."""
    world.published()
    build = build_of(world, "create_if_not_exists")
    assert build.begin() is False
    found = build.response().to_dict(omit_none=True)
    assert found["outcome"] == "kept"
    assert "version" not in found


def test_a_failure_before_the_commit_names_what_the_table_still_holds(world: World) -> None:
    """The message has outcome, discarded version and the table's state."""
    first = world.published()
    build = build_of(world)
    build.begin()
    world.stage(staged_files(build))
    error = ValueError("broken")
    build.fail(error, canceled=False)
    said = build.failure(error)
    assert "outcome: not_committed" in said
    assert build.staged.version in said
    assert f"still holds version {first.version}" in said


def test_a_failure_after_the_commit_undoes_nothing(world: World) -> None:
    """A post-hook's error says that the version is published and stays so."""
    build = build_of(world)
    through_commit(world, build)
    error = ValueError("post-hook")
    build.fail(error, canceled=False)
    assert f"published as {build.staged.version}" in build.failure(error)


def test_a_conflict_speaks_for_itself(world: World) -> None:
    """An error of the core that tells the table's state is not contradicted by a second one."""
    build = build_of(world)
    build.begin()
    world.stage(staged_files(build))
    world.published()
    with pytest.raises(ConcurrentWriteError) as caught:
        build.hook.on_finished()
    build.fail(caught.value, canceled=False)
    told = RuntimeError(str(caught.value))
    told.__cause__ = caught.value
    assert "does not exist" not in build.failure(told)
