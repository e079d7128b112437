"""What a purpose makes of a table of files, whatever another does meanwhile."""

import logging

import pytest

from ctas_spark.context import OnConflict, TableLayout
from ctas_spark.errors import (
    AtomicityNotSupportedError,
    ConcurrentWriteError,
    NoSuchTableError,
    StagingError,
    TableAlreadyExistsError,
)
from ctas_spark.metastore.client import VIEW as VIEW_TYPE
from ctas_spark.publish.marker import Marker
from ctas_spark.publish.version import Outcome
from fakes.metastore import entry
from fakes.world import TARGET_NAME, Staged, World

Refused = type[StagingError]


def view(world: World) -> None:
    """A user's view has the target's name."""
    world.metastore.tables[TARGET_NAME] = entry(TARGET_NAME, table_type=VIEW_TYPE)


def version_of(world: World) -> str | None:
    """The version that the target shows."""
    marker = Marker.of(world.metastore.tables.get(TARGET_NAME))
    return marker.version if marker else None


def fails(ours: Staged, error: Refused) -> None:
    """The commit fails, and dbt aborts."""
    with pytest.raises(error):
        ours.commit()
    ours.abort("failed")


def test_a_table_of_files_is_created_kept_or_refused(world: World) -> None:
    """The columns "exists" and "absent" of the table, on a metastore."""
    with pytest.raises(NoSuchTableError):
        world.plan("replace").begin()
    first = world.published("create")
    with pytest.raises(TableAlreadyExistsError):
        world.plan("create").begin()
    assert world.plan("create_if_not_exists").begin().outcome is Outcome.KEPT
    assert version_of(world) == first.version
    assert world.versions_on_storage() == world.records() == {first.version}
    world.published("replace")
    world.published()
    assert version_of(world) not in (first.version, None)


@pytest.mark.parametrize("purpose", ["create", "create_or_replace"])
def test_the_loser_of_two_creations_leaves_the_winners_table(world: World, purpose: str) -> None:
    """Of the loser neither a file nor a record is left."""
    ours, theirs = world.begun(purpose), world.begun()
    theirs.commit()
    fails(ours, TableAlreadyExistsError if purpose == "create" else ConcurrentWriteError)
    assert version_of(world) == theirs.version
    assert world.versions_on_storage() == world.records() == {theirs.version}


def test_the_loser_of_two_create_if_not_exists_succeeds(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """It discards its own version, and the log says that theirs is kept."""
    caplog.set_level(logging.INFO)
    ours, theirs = world.begun("create_if_not_exists"), world.begun("create_if_not_exists")
    theirs.commit()
    ours.commit()
    assert (ours.outcome, version_of(world)) == (Outcome.KEPT, theirs.version)
    assert world.versions_on_storage() == world.records() == {theirs.version}
    assert "that table is kept" in caplog.text


def test_a_rival_that_creates_between_look_and_call_is_found(world: World) -> None:
    """create_table refuses, and the purpose decides over what is there then."""
    ours, theirs = world.begun("create_if_not_exists"), world.begun()

    def create_theirs(call: str) -> None:
        if call == "create_table":
            world.metastore.before = lambda _call: None
            theirs.commit()

    world.metastore.before = create_theirs
    ours.commit()
    assert (ours.outcome, version_of(world)) == (Outcome.KEPT, theirs.version)


def test_replace_creates_nothing_that_another_dropped(world: World) -> None:
    """The model fails, and there is no table."""
    world.published()
    ours = world.begun("replace")
    del world.metastore.tables[TARGET_NAME]
    fails(ours, NoSuchTableError)
    assert TARGET_NAME not in world.metastore.tables


def test_a_drop_between_look_and_call_is_found(world: World) -> None:
    """The alter is refused, as there is nothing to alter, and the table is created."""
    world.published()
    ours = world.begun()

    def drop(call: str) -> None:
        if call == "alter_table":
            world.metastore.before = lambda _call: None
            del world.metastore.tables[TARGET_NAME]

    world.metastore.before = drop
    ours.commit()
    assert (ours.reach.strategy, version_of(world)) == ("create", ours.version)


def test_create_or_replace_creates_what_another_dropped(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """And the log says so."""
    world.published()
    ours = world.begun()
    del world.metastore.tables[TARGET_NAME]
    ours.commit()
    assert version_of(world) == ours.version
    assert "dropped by another" in caplog.text


@pytest.mark.parametrize("purpose", ["replace", "create_or_replace"])
def test_a_view_is_replaced_by_the_same_commit(world: World, purpose: str) -> None:
    """One alter_table makes a table of it, and carries nothing of the view."""
    view(world)
    ours = world.published(purpose)
    found = world.metastore.tables[TARGET_NAME]
    assert (ours.reach.strategy, found.is_view) == ("swap", False)
    assert world.metastore.calls.count("create_table") == 1  # the staging id's entry
    assert world.metastore.calls.count("drop_entry") == 0


@pytest.mark.parametrize("purpose", ["create", "create_if_not_exists"])
def test_a_view_is_in_the_way_of_a_creation(world: World, purpose: str) -> None:
    """It is not the table that create_if_not_exists would keep."""
    view(world)
    with pytest.raises(TableAlreadyExistsError, match="a view is in the place"):
        world.plan(purpose).begin()


def test_a_view_that_another_made_meanwhile_is_in_the_way_too(world: World) -> None:
    """The view stays as it is."""
    ours = world.begun("create_if_not_exists")
    view(world)
    fails(ours, TableAlreadyExistsError)
    assert world.metastore.tables[TARGET_NAME].is_view
    assert world.versions_on_storage() == set()


def test_an_entry_of_iceberg_is_not_turned_into_files(world: World) -> None:
    """It would still lead to Iceberg's metadata after the call."""
    iceberg = {"table_type": "iceberg", "transient_lastDdlTime": "9"}
    world.metastore.tables[TARGET_NAME] = entry(TARGET_NAME, parameters=iceberg)
    with pytest.raises(AtomicityNotSupportedError, match="an Iceberg table is in the place"):
        world.plan().begin()


def test_a_table_of_another_data_source_is_replaced(world: World) -> None:
    """One call changes its format."""
    world.published()
    orc = world.begun(layout=TableLayout(file_format="orc"))
    orc.commit()
    assert (orc.reach.strategy, version_of(world)) == ("swap", orc.version)


def test_overwrite_commits_after_a_rival(world: World, caplog: pytest.LogCaptureFixture) -> None:
    """It takes the rival's version as its base, whole, and says so."""
    world.published()
    ours, theirs = world.begun(on_conflict=OnConflict.OVERWRITE), world.begun()
    theirs.commit()
    ours.commit()
    marker = Marker.of(world.metastore.tables[TARGET_NAME])
    assert marker is not None
    assert [e.version for e in marker.lineage.entries][:2] == [ours.version, theirs.version]
    assert (ours.base.version, len(marker.lineage.entries)) == (theirs.version, 3)
    assert "another writer's change since begin is replaced" in caplog.text


def test_overwrite_replaces_what_another_created(world: World) -> None:
    """A creation that lost its race becomes a replacement."""
    ours, theirs = world.begun(on_conflict=OnConflict.OVERWRITE), world.begun()
    theirs.commit()
    ours.commit()
    assert (ours.reach.strategy, version_of(world)) == ("swap", ours.version)


def test_overwrite_does_not_help_a_create(world: World) -> None:
    """Purpose create never replaces, whatever on_conflict says."""
    ours, theirs = world.begun("create", on_conflict=OnConflict.OVERWRITE), world.begun()
    theirs.commit()
    fails(ours, TableAlreadyExistsError)
    assert version_of(world) == theirs.version


def test_of_two_replacements_one_commits(world: World) -> None:
    """The later one gets ConcurrentWriteError that names the winner, and leaves nothing."""
    world.published()
    ours, theirs = world.begun(), world.begun()
    theirs.commit()
    with pytest.raises(ConcurrentWriteError, match=theirs.version):
        ours.commit()
    ours.abort("conflict")
    assert version_of(world) == theirs.version
    assert ours.version not in world.versions_on_storage() | world.records()
