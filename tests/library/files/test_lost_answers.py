"""A call whose answer was lost may land later: what then keeps it from doing harm."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from ctas_spark.errors import CommitStateUnknownError
from ctas_spark.metastore.client import CallUnansweredError
from ctas_spark.publish.locks import SILENT_MS
from fakes.world import CONTEXT, World


@contextmanager
def lost(world: World, name: str) -> Iterator[Callable[[], None]]:
    """The first call of that name gets no answer; the server makes it when what this gives runs."""
    real = getattr(world.metastore, name)
    late: list[tuple[Any, ...]] = []

    def land() -> None:
        for arguments in late:
            real(*arguments)

    def timed_out(*arguments: Any) -> None:
        late.append(arguments)
        setattr(world.metastore, name, real)
        raise CallUnansweredError(f"metastore call {name} failed: timed out")

    setattr(world.metastore, name, timed_out)
    yield land


@pytest.mark.parametrize("call", ["alter_partitions", "add_partitions", "drop_partitions"])
def test_late_partition_calls_are_not_relied_on(
    world: World, call: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Until it can't land any more, Spark lists directories."""
    world.published("create_or_replace", "1", "2")
    second = world.committed("2", "3")
    with lost(world, call) as land:
        second.settle()
    assert "a later run will do that" in caplog.text
    assert world.holder_note() is not None
    world.catalog().recover(CONTEXT)
    assert world.partitions_are() == (None, "pending")
    land()
    assert world.partitions_are() == (None, "pending")


def test_the_lock_of_a_commit_that_may_land_is_kept_until_it_runs_out(world: World) -> None:
    """Given back, it would let a rival commit first, and be overwritten."""
    world.metastore.compares = False
    world.published()
    ours = world.begun()
    with lost(world, "alter_table") as land, pytest.raises(CommitStateUnknownError):
        ours.commit()
    assert len(world.metastore.locks) == 1
    land()
    world.metastore.server_ms += SILENT_MS
    rival = world.published()
    assert world.shown == rival.version
    assert world.metastore.locks == {}
