"""Purposes and conflicts: what another may do to the target between begin and commit."""

from dataclasses import replace

import pytest
from dbt.adapters.ctas_spark.staging.files.records import STATE

from dbt.adapters.ctas_spark.staging.context import OnConflict
from dbt.adapters.ctas_spark.staging.errors import (
    ConcurrentWriteError,
    NoSuchTableError,
    TableAlreadyExistsError,
)
from dbt.adapters.ctas_spark.staging.publish.marker import Marker
from dbt.adapters.ctas_spark.staging.publish.outcome import Outcome
from fakes.metastore import entry
from fakes.world import TARGET_NAME, World


@pytest.fixture
def world() -> World:
    """A catalog on fakes."""
    return World()


def version_of(world: World) -> str | None:
    """The version that the target shows."""
    marker = Marker.of(world.metastore.tables.get(TARGET_NAME))
    return marker.version if marker else None


def test_a_rivals_commit_is_never_overwritten(world: World) -> None:
    """Of two writers from one base, the later one gets ConcurrentWriteError naming the winner."""
    world.published()
    ours, theirs = world.begun(), world.begun()
    theirs.commit()
    with pytest.raises(ConcurrentWriteError, match=theirs.version):
        ours.commit()
    ours.abort("conflict")
    assert version_of(world) == theirs.version
    assert ours.version not in world.versions_on_storage()


def test_a_rival_between_the_check_and_the_call_is_caught_by_the_metastore(world: World) -> None:
    """Compare-and-swap refuses a commit whose base left after our last look at it."""
    world.published()
    ours, theirs = world.begun(), world.begun()

    def commit_theirs_first(call: str) -> None:
        if call == "alter_table":
            world.metastore.before = lambda _call: None
            theirs.commit()

    world.metastore.before = commit_theirs_first
    with pytest.raises(ConcurrentWriteError, match=theirs.version):
        ours.commit()
    assert version_of(world) == theirs.version


def test_an_altered_entry_is_a_conflict(world: World) -> None:
    """A writer that follows no protocol is noticed by the entry's fingerprint."""
    world.published()
    ours = world.begun()
    now = world.metastore.tables[TARGET_NAME]
    changed = replace(now, parameters={**now.parameters, "numFiles": "7"})
    world.metastore.tables[TARGET_NAME] = changed
    with pytest.raises(ConcurrentWriteError, match="without our marker"):
        ours.commit()


def test_create_refuses_an_existing_target(world: World) -> None:
    """Purpose create fails at begin when the target exists."""
    world.published()
    with pytest.raises(TableAlreadyExistsError):
        world.table("create").begin()


def test_replace_refuses_a_missing_target(world: World) -> None:
    """Purpose replace fails at begin when there is nothing to replace."""
    with pytest.raises(NoSuchTableError):
        world.table("replace").begin()


def test_create_if_not_exists_keeps_what_is_there(world: World) -> None:
    """Purpose create_if_not_exists keeps an existing table and starts no job."""
    first = world.published()
    second = world.table("create_if_not_exists")
    second.begin()
    assert second.outcome is Outcome.KEPT
    assert version_of(world) == first.version


def test_create_if_not_exists_refuses_a_view(world: World) -> None:
    """A view is not the table that create_if_not_exists would keep."""
    world.metastore.tables[TARGET_NAME] = entry(TARGET_NAME, table_type="VIRTUAL_VIEW")
    with pytest.raises(TableAlreadyExistsError, match="view"):
        world.table("create_if_not_exists").begin()


@pytest.mark.parametrize("purpose", ["create", "create_or_replace"])
def test_the_loser_of_two_creations_leaves_the_winners_table(world: World, purpose: str) -> None:
    """A table that another created meanwhile is theirs, whichever error its purpose gives."""
    ours, theirs = world.begun(purpose), world.begun()
    theirs.commit()
    with pytest.raises((TableAlreadyExistsError, ConcurrentWriteError)):
        ours.commit()
    ours.abort("conflict")
    assert version_of(world) == theirs.version
    assert world.versions_on_storage() == {theirs.version}


def test_create_if_not_exists_gives_way_to_a_rivals_table(world: World) -> None:
    """The loser of two create_if_not_exists discards its own version and succeeds."""
    ours, theirs = world.begun("create_if_not_exists"), world.begun("create_if_not_exists")
    theirs.commit()
    ours.commit()
    assert ours.outcome is Outcome.KEPT
    assert world.versions_on_storage() == {theirs.version}


def test_replace_does_not_create_what_another_dropped(world: World) -> None:
    """Purpose replace fails when the target was dropped meanwhile, and creates nothing."""
    world.published()
    ours = world.begun("replace")
    del world.metastore.tables[TARGET_NAME]
    with pytest.raises(NoSuchTableError):
        ours.commit()
    assert TARGET_NAME not in world.metastore.tables


def test_create_or_replace_creates_what_another_dropped(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """Purpose create_or_replace creates the target anew when it was dropped, and says so."""
    world.published()
    ours = world.begun()
    del world.metastore.tables[TARGET_NAME]
    ours.commit()
    assert version_of(world) == ours.version
    assert "dropped by another" in caplog.text


def test_a_swept_record_keeps_a_creation_from_being_published(world: World) -> None:
    """A creation first moves its own record; a record that a clean-up took refuses it."""
    ours = world.begun()
    record = world.metastore.tables[ours.record]
    taken = replace(record, parameters={**record.parameters, "ctas_spark_state": "deleting"})
    world.metastore.tables[ours.record] = taken
    with pytest.raises(ConcurrentWriteError, match="clean-up"):
        ours.commit()
    assert TARGET_NAME not in world.metastore.tables


def test_a_creation_that_was_superseded_and_swept_is_a_commit(world: World) -> None:
    """Its answer was so slow that others published over it and a clean-up deleted it."""
    ours = world.begun()

    def slow(call: str) -> None:
        if call == "create_table":
            world.metastore.after = lambda _call: None
            world.published()
            record = world.metastore.tables[ours.record]
            taken = replace(record, parameters={**record.parameters, STATE: "deleting"})
            world.metastore.tables[ours.record] = taken

    world.metastore.after = slow
    ours.commit()
    assert ours.outcome is Outcome.COMMITTED
    marker = Marker.of(world.metastore.tables[TARGET_NAME])
    assert marker is not None
    assert marker.lineage.has_version(ours.version)
    assert marker.version != ours.version


def test_overwrite_commits_after_a_rival(world: World, caplog: pytest.LogCaptureFixture) -> None:
    """on_conflict overwrite takes the rival's version as its base, whole, and says so."""
    world.published()
    ours, theirs = world.begun(on_conflict=OnConflict.OVERWRITE), world.begun()
    theirs.commit()
    ours.commit()
    marker = Marker.of(world.metastore.tables[TARGET_NAME])
    assert marker is not None
    assert [e.version for e in marker.lineage.entries][:2] == [ours.version, theirs.version]
    assert ours.base.version == theirs.version
    assert "what another wrote since begin is replaced" in caplog.text


def test_overwrite_goes_on_when_rivals_come_between_every_check_and_call(world: World) -> None:
    """However often a rival is faster, the version lands on the last of them."""
    world.published()
    ours = world.begun(on_conflict=OnConflict.OVERWRITE)
    rivals = [world.begun(on_conflict=OnConflict.OVERWRITE) for _ in range(3)]

    def a_rival_commits_first(call: str) -> None:
        if call == "alter_table" and rivals:
            rival = rivals.pop()
            world.metastore.before, before = lambda _call: None, world.metastore.before
            rival.commit()
            world.metastore.before = before

    world.metastore.before = a_rival_commits_first
    ours.commit()
    assert not rivals
    assert version_of(world) == ours.version


def test_overwrite_replaces_what_another_created(world: World) -> None:
    """A creation that lost its race becomes a replace."""
    ours, theirs = world.begun(on_conflict=OnConflict.OVERWRITE), world.begun()
    theirs.commit()
    ours.commit()
    assert ours.strategy.name == "swap"
    assert version_of(world) == ours.version


def test_a_swept_record_keeps_an_overwrite_from_landing(world: World) -> None:
    """A commit over another base first moves its own record, which a clean-up may have taken."""
    world.published()
    ours, theirs = world.begun(on_conflict=OnConflict.OVERWRITE), world.begun()
    theirs.commit()
    record = world.metastore.tables[ours.record]
    taken = replace(record, parameters={**record.parameters, "ctas_spark_state": "deleting"})
    world.metastore.tables[ours.record] = taken
    with pytest.raises(ConcurrentWriteError, match="clean-up"):
        ours.commit()
    assert version_of(world) == theirs.version


def test_overwrite_does_not_help_a_create(world: World) -> None:
    """Purpose create never replaces, whatever on_conflict says."""
    ours, theirs = world.begun("create", on_conflict=OnConflict.OVERWRITE), world.begun()
    theirs.commit()
    with pytest.raises(TableAlreadyExistsError):
        ours.commit()
