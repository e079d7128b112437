"""The way back to an earlier version in a Delta table's history."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from unittest.mock import patch

import pytest

from dbt.adapters.ctas_spark.staging.delta.facts import CommitMarker
from dbt.adapters.ctas_spark.staging.delta.restore import OTHERS, USER_METADATA
from dbt.adapters.ctas_spark.staging.errors import ConcurrentWriteError
from dbt.adapters.ctas_spark.staging.publish.marker import Kind
from fakes.delta_world import CONTEXT, FakeTables, World


class FakeSession:
    """A session that knows RESTORE; ``before`` is what another does just before it."""

    def __init__(self, world: World, before: Callable[[], None]) -> None:
        self.conf = self
        self._world = world
        self._before = before
        self._marker: CommitMarker | None = None

    def newSession(self) -> "FakeSession":  # noqa: N802 (Spark's name)
        return self

    def set(self, key: str, value: str) -> None:
        assert key == USER_METADATA
        self._marker = CommitMarker.parse(value)

    def sql(self, statement: str) -> "FakeSession":
        assert statement == "RESTORE TABLE `shop`.`orders` TO VERSION AS OF 1"
        self._before()
        self._world.log.add("RESTORE", self._marker)
        return self

    def collect(self) -> None:
        """There are no rows."""


@contextmanager
def sessions(world: World, before: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Spark, as far as a rollback needs it."""
    session = FakeSession(world, before)
    with patch.object(FakeTables, "spark", session, create=True):
        yield


def published_twice() -> World:
    """A table whose history has v1 at 1, and v2 at 2."""
    world = World()
    world.publishes("v1")
    world.publishes("v2")
    return world


def test_a_rollback_is_one_commit_with_our_marker() -> None:
    """It says which version the table shows from then on, and what came before."""
    world = published_twice()
    with sessions(world):
        back = world.catalog.roll_back(CONTEXT)
    assert (back.version, back.replaced, back.level.value) == ("v1", "v2", "isolated")
    marker = world.log.commits[-1].marker
    assert marker is not None
    assert (marker.version, marker.kind, marker.base) == ("v1", Kind.ROLLBACK, "cv2")
    assert world.staged() == set()


def test_anothers_replace_can_be_taken_back() -> None:
    """The version of ours that it ended is the one to go back to."""
    world = World()
    world.publishes("v1")
    world.log.add("CREATE OR REPLACE TABLE AS SELECT")
    with sessions(world):
        back = world.catalog.roll_back(CONTEXT)
    assert (back.version, back.replaced) == ("v1", OTHERS)


def test_what_another_committed_meanwhile_is_named() -> None:
    """RESTORE looks for itself: what came between our look and its own is in the history only."""
    world = published_twice()
    with (
        sessions(world, before=lambda: world.log.add("WRITE")),
        pytest.raises(ConcurrentWriteError, match=r"another committed \(WRITE, 3\)") as caught,
    ):
        world.catalog.roll_back(CONTEXT)
    assert "VERSION AS OF 3" in caught.value.remedy


def test_upkeep_just_before_it_is_no_conflict() -> None:
    """It has changed no row."""
    world = published_twice()
    with sessions(world, before=lambda: world.log.add("VACUUM START")):
        assert world.catalog.roll_back(CONTEXT).version == "v1"


@pytest.mark.parametrize("version", ["v9", "v2"])
def test_what_the_history_can_not_restore_is_the_session_catalogs(version: str) -> None:
    """A version that it does not have, and the live one: the entry may know an earlier one."""
    world = published_twice()
    with pytest.raises(NotImplementedError):
        world.catalog.roll_back(CONTEXT, version)
