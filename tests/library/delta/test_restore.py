"""The versions in a Delta table's history, and the way back to one of them."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from unittest.mock import patch

import pytest

from ctas_spark.delta.base import LOOKED_BACK
from ctas_spark.delta.facts import CommitFacts, CommitMarker
from ctas_spark.delta.restore import (
    CHECKED,
    OTHERS,
    USER_METADATA,
    changes_rows,
    history,
    last_states,
)
from ctas_spark.errors import ConcurrentWriteError
from ctas_spark.metastore.client import PROVIDER
from ctas_spark.publish.marker import Lineage, Marker, PublicationKind
from fakes.delta_logs import ours, theirs
from fakes.delta_world import CONTEXT, TARGET, FakeTables, World
from fakes.metastore import entry


class FakeSession:
    """A session that knows RESTORE; ``before`` is what another does just before it."""

    def __init__(self, world: World, before: Callable[[], None]) -> None:
        self.conf = self
        self._world = world
        self._before = before
        self._marker: CommitMarker | None = None
        self.values: dict[str, str] = {}

    def newSession(self) -> "FakeSession":  # noqa: N802 (Spark's name)
        return self

    def set(self, key: str, value: str) -> None:
        self.values[key] = value
        if key == USER_METADATA:
            self._marker = CommitMarker.parse(value)

    def sql(self, statement: str) -> "FakeSession":
        assert statement == "RESTORE TABLE `spark_catalog`.`shop`.`orders` TO VERSION AS OF 1"
        assert CHECKED.items() <= self.values.items()
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
    assert (marker.version, marker.kind, marker.base) == ("v1", PublicationKind.ROLLBACK, "cv2")
    assert world.staged() == set()


def test_anothers_replace_can_be_taken_back() -> None:
    """The version of ours that it ended is the one to go back to."""
    world = World()
    world.publishes("v1")
    world.log.add("CREATE OR REPLACE TABLE AS SELECT")
    with sessions(world):
        back = world.catalog.roll_back(CONTEXT)
    assert (back.version, back.replaced) == ("v1", OTHERS)


def test_a_log_that_no_longer_has_the_creation_does_not_say_what_is_live() -> None:
    """The entry's marker is that of the creation, which others may have replaced since."""
    world = published_twice()
    created = Marker("c0", "v0", "", str(TARGET), "atomic", Lineage(()), "c0")
    parameters = {PROVIDER: "delta", **created.to_parameters()}
    world.metastore.tables[TARGET] = entry(TARGET, parameters=parameters)
    world.log.add("WRITE")
    assert world.table.look().version == "v2"
    world.log.oldest = 3
    assert world.table.look().version is None


def test_what_another_committed_meanwhile_is_named() -> None:
    """RESTORE looks for itself: what came between our look and its own is in the history only."""
    world = published_twice()
    with (
        sessions(world, before=lambda: world.log.add("WRITE")),
        pytest.raises(
            ConcurrentWriteError, match=r"another writer committed \(WRITE, 3\)"
        ) as caught,
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


def test_what_users_wrote_into_a_version_belongs_to_it() -> None:
    """Up to the commit before its successor; a fence does not count as one."""
    commits = [
        theirs(6),
        ours(5, "v2"),
        ours(4, "v1", PublicationKind.FENCE),
        theirs(3),
        ours(2, "v1"),
        theirs(1),
    ]
    assert last_states(commits, 6, None) == {"v2": 6, "v1": 4}


def test_anothers_replace_ends_a_version() -> None:
    """What it left is not the version's last state."""
    commits = [theirs(4), CommitFacts(3, "CREATE OR REPLACE TABLE AS SELECT", 0, None), ours(2)]
    assert last_states(commits, 4, None) == {"v1": 2}


def test_each_version_has_its_last_state_newest_first() -> None:
    """One that was published twice counts by the last time; the creation is known by its entry."""
    rollback = ours(4, "v1", PublicationKind.ROLLBACK)
    commits = (rollback, ours(3, "v2"), theirs(2), ours(1, "v1"), theirs(0))
    assert last_states(commits, 4, "v0") == {"v1": 4, "v2": 3, "v0": 0}
    assert last_states(commits[:-1], 4, "v0") == {"v1": 4, "v2": 3}


def test_only_the_newest_version_is_live_and_only_if_the_table_shows_it() -> None:
    """After another's replace all of them are kept by the history."""
    found = (theirs(3), ours(2, "v2"), ours(1, "v1"))
    replaced = CommitFacts(4, "CREATE OR REPLACE TABLE AS SELECT", 0, None)
    assert [event.state for event in history(found)] == ["live", "kept"]
    assert [event.state for event in history((replaced, *found))] == ["kept", "kept"]


def test_rows_that_were_changed_since_are_said() -> None:
    """By a statement in that version; a fence, OPTIMIZE and other properties change none."""
    fence = ours(3, "v1", PublicationKind.FENCE)
    found = (theirs(6), ours(5, "v2"), optimized(4), fence, altered(2), ours(1, "v1"))
    assert [event.changed_in_place for event in history(found)] == [True, False]
    assert not changes_rows((theirs(2), ours(1)))
    assert changes_rows((fence, theirs(1)))


def test_a_rollback_has_the_figures_of_its_build() -> None:
    """It counts nothing itself; where rows were added to the build's, nobody has counted them."""
    built, other = counted(ours(1, "v1"), 7), counted(ours(2, "v2"), 9)
    back = ours(3, "v1", PublicationKind.ROLLBACK)
    assert [event.rows for event in history((back, other, built))] == [7, 9, 7]
    grown = (ours(4, "v1", PublicationKind.ROLLBACK), counted(ours(3, "v2"), 9), theirs(2), built)
    assert [event.rows for event in history(grown)] == [None, 9, 7]


def counted(commit: CommitFacts, rows: int) -> CommitFacts:
    """A build that counted its rows."""
    assert commit.marker is not None
    return replace(commit, marker=replace(commit.marker, rows=rows))


def optimized(number: int) -> CommitFacts:
    """Another's commit that moves rows to other files."""
    return CommitFacts(number, "OPTIMIZE", 0, None)


def altered(number: int) -> CommitFacts:
    """Another's commit that sets a property."""
    return CommitFacts(number, "SET TBLPROPERTIES", 0, None)


def test_the_live_version_is_known_behind_any_number_of_increments() -> None:
    """A rollback that took it for an earlier one would change nothing, and say that it did."""
    world = published_twice()
    for _ in range(LOOKED_BACK + 1):
        world.log.add("MERGE")
    with sessions(world):
        assert world.catalog.roll_back(CONTEXT).version == "v1"
