"""A version whose source is a stream: its rows and its checkpoint are published by one call."""

import pytest

from ctas_spark.errors import (
    ConcurrentWriteError,
    JobCanceledError,
    NoCheckpointError,
)
from ctas_spark.files.stream import CHECKPOINT
from ctas_spark.publish.version import Outcome
from fakes.stream import FIRST_ID, FakeStream
from fakes.world import CONTEXT, Staged, World, version_of


@pytest.fixture
def stream(world: World) -> FakeStream:
    """A stream whose source has two rows at first."""
    return FakeStream(world.storage, ["a", "b"])


def drained(world: World, stream: FakeStream, *, resumes: bool = True) -> Staged:
    """A version with what is new in the stream, ready to commit."""
    staged = world.plan().begin()
    staged.read_new_rows(stream, resumes=resumes)
    if staged.outcome is None:
        world.stage(staged)
        staged.verify()
    return staged


def published(world: World, stream: FakeStream, *, resumes: bool = True) -> Staged:
    """The same, published."""
    staged = drained(world, stream, resumes=resumes)
    staged.commit()
    staged.settle()
    world.clock.pass_ms(1_000)
    return staged


def batches(world: World, staged: Staged) -> tuple[str, ...]:
    """The batches that a version's checkpoint says it has."""
    directory = f"{version_of(staged).directory}/{CHECKPOINT}/commits"
    return world.storage.children(directory)


def test_the_next_run_goes_on_behind_the_version_that_the_table_shows(
    world: World, stream: FakeStream
) -> None:
    """By its checkpoint, in its directory; nothing else is left of a run."""
    first = published(world, stream, resumes=False)
    assert (stream.taken, batches(world, first)) == (["a", "b"], ("0", "1"))
    stream.source.append("c")
    second = published(world, stream)
    assert (stream.taken, batches(world, second)) == (["c"], ("0", "1", "2"))
    assert batches(world, first) == ("0", "1")
    assert world.versions_on_storage() == {first.version, second.version}
    assert stream.running == 0


def test_each_run_is_a_query_of_its_own(world: World, stream: FakeStream) -> None:
    """Spark stops a query when another with its id starts; two runs may have one base."""
    published(world, stream, resumes=False)
    stream.source.append("c")
    drained(world, stream)
    drained(world, stream)
    assert stream.ids[0] == FIRST_ID
    assert len(set(stream.ids)) == 3


def test_the_sinks_log_begins_where_the_checkpoint_ends(world: World, stream: FakeStream) -> None:
    """Spark wants an entry for every batch since the last that was compacted."""
    published(world, stream, resumes=False)
    drained(world, stream)
    stream.source.append("c")
    drained(world, stream)
    logs = {path: text for path, text in world.storage.texts.items() if "_spark_metadata" in path}
    ((path, text),) = logs.items()
    assert path.endswith("/rows/_spark_metadata/1.compact")
    assert text == "v1"


def test_a_table_is_kept_if_nothing_is_new(world: World, stream: FakeStream) -> None:
    """Nothing is written for it, and nothing stays."""
    first = published(world, stream, resumes=False)
    again = drained(world, stream)
    assert again.outcome is Outcome.KEPT
    assert world.shown == first.version
    assert world.versions_on_storage() == {first.version}


def test_an_empty_source_makes_an_empty_table(world: World, stream: FakeStream) -> None:
    """The next run takes what has come."""
    stream.source.clear()
    published(world, stream, resumes=False)
    stream.source.append("a")
    published(world, stream)
    assert stream.taken == ["a"]


def test_what_a_failed_run_took_is_taken_again(world: World, stream: FakeStream) -> None:
    """The checkpoint that it wrote was never the table's."""
    published(world, stream, resumes=False)
    stream.source.append("c")
    failed = drained(world, stream)
    failed.abort("failed")
    published(world, stream)
    assert stream.taken == ["c"]
    assert not any(failed.version in path for path in world.storage.texts)


def test_of_two_runs_one_commits_rows_and_offsets(world: World, stream: FakeStream) -> None:
    """Nothing of the other stays."""
    published(world, stream, resumes=False)
    stream.source.append("c")
    loser = drained(world, stream)
    winner = published(world, stream)
    with pytest.raises(ConcurrentWriteError):
        loser.commit()
    loser.abort("failed")
    assert (world.shown, batches(world, loser)) == (winner.version, ())
    assert batches(world, winner) == ("0", "1", "2")


def test_a_rollback_goes_back_in_the_source(world: World, stream: FakeStream) -> None:
    """The rows that the older version lacks come again."""
    published(world, stream, resumes=False)
    stream.source.append("c")
    published(world, stream)
    world.catalog().roll_back(CONTEXT)
    published(world, stream)
    assert stream.taken == ["c"]


def test_a_deleted_version_takes_its_checkpoint_along(world: World, stream: FakeStream) -> None:
    """Nothing of it is left."""
    first = published(world, stream, resumes=False)
    stream.source.append("c")
    second = published(world, stream)
    world.sweep()
    assert batches(world, first) == ()
    assert batches(world, second) == ("0", "1", "2")
    assert not any(first.version in path for path in world.storage.texts)


def test_a_version_without_a_checkpoint_is_not_added_to(world: World, stream: FakeStream) -> None:
    """Nobody knows what of the source it holds; no query is started."""
    world.published()
    staged = world.plan().begin()
    with pytest.raises(NoCheckpointError, match="full-refresh"):
        staged.read_new_rows(stream, resumes=True)
    assert stream.ids == []
    published(world, stream, resumes=False)
    assert stream.taken == ["a", "b"]


def test_a_checkpoint_that_lacks_a_batch_is_not_gone_on_from(
    world: World, stream: FakeStream
) -> None:
    """Spark would take that batch again, and its rows are in the table."""
    first = published(world, stream, resumes=False)
    world.storage.delete(f"{version_of(first).directory}/{CHECKPOINT}/commits/1")
    staged = world.plan().begin()
    with pytest.raises(NoCheckpointError, match="lacks files"):
        staged.read_new_rows(stream, resumes=True)


def test_a_query_that_others_stop_is_not_published(world: World, stream: FakeStream) -> None:
    """Its last batch would come again, and its rows may be there."""
    stream.breaks = True
    staged = world.plan().begin()
    with pytest.raises(JobCanceledError, match="before it had read all"):
        staged.read_new_rows(stream, resumes=False)
    staged.abort("failed")
    assert world.versions_on_storage() == set()


def test_a_cancel_stops_the_query(world: World, stream: FakeStream) -> None:
    """It has a thread of Spark's, which no cancel of the model's job reaches."""
    stream.hangs = True
    world.job.canceled = True
    staged = world.plan().begin()
    with pytest.raises(JobCanceledError):
        staged.read_new_rows(stream, resumes=False)
    assert stream.running == 0


def test_what_a_killed_run_left_goes_by_its_age(world: World, stream: FakeStream) -> None:
    """The stream's directory, too, which has no record."""
    shown = published(world, stream, resumes=False)
    stream.source.append("c")
    drained(world, stream)
    killed = world.plan().begin()
    killed.read_new_rows(stream, resumes=True)
    published(world, stream)
    world.sweep()
    assert len(world.versions_on_storage()) > 1
    world.grow_old()
    world.sweep()
    assert world.versions_on_storage() == {world.shown}
    assert shown.version != world.shown
