"""A rollback is one commit back to a kept version, schema included."""

from dataclasses import replace

import pytest

from ctas_spark.context import Atomicity, TableLayout, TableName
from ctas_spark.errors import ConcurrentWriteError, NoSuchVersionError
from ctas_spark.publish.marker import Marker, PublicationKind
from ctas_spark.publish.rollback import RolledBack
from ctas_spark.retention.rules import Reason
from fakes.metastore import entry
from fakes.records import drops_the_target, renames_the_target, takes
from fakes.world import CONTEXT, TARGET_NAME, Staged, World, version_of


def back(world: World, to: str | None = None) -> RolledBack:
    """A rollback in another run."""
    return world.catalog().roll_back(CONTEXT, to)


def published(world: World, *columns: tuple[str, str]) -> Staged:
    """A version with columns of its own."""
    staged = world.begun()
    name = version_of(staged).record
    world.metastore.tables[name] = replace(world.metastore.tables[name], columns=columns)
    staged.commit()
    staged.settle()
    return staged


def test_the_version_before_is_published_with_its_schema(world: World) -> None:
    """Location and columns are the old version's; the commit is a new one in the same lineage."""
    old = published(world, ("id", "bigint"))
    published(world, ("id", "string"), ("name", "string"))
    assert back(world).version == old.version
    after = world.metastore.tables[TARGET_NAME]
    marker = Marker.of(after)
    assert marker is not None
    assert after.columns == (("id", "bigint"),)
    assert marker.version == old.version
    assert [e.kind for e in marker.lineage.entries] == [
        PublicationKind.ROLLBACK,
        PublicationKind.BUILD,
        PublicationKind.BUILD,
    ]


def test_a_version_is_published_again_with_the_size_that_it_has_by_now(world: World) -> None:
    """Rows came in place after its record was made, and Spark broadcasts what is small."""
    staged = world.begun()
    name = version_of(staged).record
    counted = {
        "totalSize": "1",
        "numFiles": "1",
        "numRows": "1",
        "spark.sql.statistics.numRows": "1",
    }
    record = world.metastore.tables[name]
    world.metastore.tables[name] = replace(record, parameters={**record.parameters, **counted})
    staged.commit()
    staged.settle()
    world.storage.write(f"{version_of(staged).directory}/part-1.parquet", "x" * 1_000)
    world.published()
    back(world)
    found = world.target.parameters
    listed = world.storage.files(version_of(staged).directory)
    assert found["totalSize"] == str(sum(one.bytes for one in listed))
    assert found["numFiles"] == str(len(listed))
    assert not {"numRows", "spark.sql.statistics.numRows"} & found.keys()


def test_a_named_version_is_published(world: World) -> None:
    """Any kept version may be asked for by its id."""
    oldest, _, _newest = (world.published() for _ in range(3))
    assert back(world, oldest.version).version == oldest.version


def test_a_second_rollback_goes_forward_again(world: World) -> None:
    """The version that was rolled back is now the one before."""
    _, new = world.published(), world.published()
    back(world)
    assert back(world).version == new.version


def test_there_is_nothing_before_the_first_version(world: World) -> None:
    """The error names what could be asked for, and nothing is changed."""
    world.published()
    before = world.metastore.tables[TARGET_NAME]
    with pytest.raises(NoSuchVersionError, match="no earlier version") as caught:
        back(world)
    assert "none" in str(caught.value)
    assert world.metastore.tables[TARGET_NAME] is before


def test_a_version_without_files_is_not_published(world: World) -> None:
    """A directory that somebody removed is not a version."""
    old, _ = world.published(), world.published()
    world.storage.delete(version_of(old).directory)
    with pytest.raises(NoSuchVersionError, match=f"no earlier version {old.version} to go back to"):
        back(world, old.version)


def test_a_plain_table_has_no_versions(world: World) -> None:
    """What this adapter did not publish can't be rolled back."""
    world.metastore.tables[TARGET_NAME] = entry(TARGET_NAME)
    with pytest.raises(NoSuchVersionError, match="shows no version"):
        back(world)


def test_a_rival_commit_is_not_rolled_back(world: World) -> None:
    """It is conflict-checked like a build."""
    world.published()
    world.published()
    rival = world.begun()
    before = world.metastore.before

    def commit_rival(call: str) -> None:
        if call == "alter_table":
            world.metastore.before = before
            rival.commit()

    world.metastore.before = commit_rival
    with pytest.raises(ConcurrentWriteError):
        back(world)
    assert world.metastore.tables[TARGET_NAME].directory_name == rival.version


def test_a_clean_up_does_not_take_what_is_rolled_back(world: World) -> None:
    """The version's record is taken before it is published."""
    old, _ = world.published(), world.published()
    back(world)
    done = world.sweep()
    assert done.kept == {old.version: Reason.LIVE}
    assert world.versions_on_storage() == {old.version}


def test_a_version_that_is_being_deleted_is_not_published(world: World) -> None:
    """Between a clean-up and a rollback the record decides."""
    old, _ = world.published(), world.published()
    takes(world, old)
    with pytest.raises(NoSuchVersionError):
        back(world)


def test_a_version_that_another_table_shows_is_not_published(world: World) -> None:
    """A renamed table's rows would be changed by an INSERT into this one, and the reverse."""
    old = world.published()
    renames_the_target(world, TableName("archive", "orders_2025"))
    live = world.published()
    with pytest.raises(NoSuchVersionError, match=r"archive\.orders_2025 already shows it"):
        back(world, old.version)
    assert world.shown == live.version
    assert old.version in world.versions_on_storage()


def test_a_version_from_before_a_drop_is_published_by_name_only(world: World) -> None:
    """Nothing shows whether it was the table or an attempt that died."""
    old = world.published()
    drops_the_target(world)
    world.published()
    with pytest.raises(NoSuchVersionError):
        back(world)
    assert back(world, old.version).version == old.version


def test_what_was_never_published_is_not_published_by_name(world: World) -> None:
    """Its base is followed by another's publication."""
    world.published()
    dead = world.begun()
    world.published()
    with pytest.raises(NoSuchVersionError):
        back(world, dead.version)


def test_partitions_are_tracked_again(world: World) -> None:
    """A table whose partitions were tracked has those of the version that is back."""
    old = world.published("create_or_replace", "may")
    world.published("create_or_replace", "june")
    back(world)
    assert world.months() == {("may", old.version)}


def test_other_partition_keys_are_brought_back(world: World) -> None:
    """The layout is the version's own, whatever the model says by now."""
    old = world.published()
    world.published(layout=TableLayout(partition_by=("month",)))
    assert back(world).version == old.version
    assert world.metastore.tables[TARGET_NAME].directory_name == old.version


def test_a_version_without_a_record_is_not_published(world: World) -> None:
    """The record that a user dropped had its columns."""
    old, _ = world.published(), world.published()
    del world.metastore.tables[version_of(old).record]
    with pytest.raises(NoSuchVersionError):
        back(world)


def test_a_clean_up_that_is_faster_wins(world: World) -> None:
    """It took the record; the rollback finds that before it publishes."""
    _, new = world.published(), world.published()

    def cleans(call: str) -> None:
        if call == "alter_table":
            world.metastore.before = lambda _call: None
            world.sweep()

    world.metastore.before = cleans
    with pytest.raises(ConcurrentWriteError, match="clean-up deleted"):
        back(world)
    assert world.metastore.tables[TARGET_NAME].directory_name == new.version
    assert world.versions_on_storage() == {new.version}


def staged_with(world: World, layout: TableLayout, **parameters: str) -> Staged:
    """A version of that layout, whose entry Spark has made with these properties."""
    staged = world.plan(layout=layout).begin()
    world.stage(staged)
    name = version_of(staged).record
    found = world.metastore.tables[name]
    world.metastore.tables[name] = replace(found, parameters={**found.parameters, **parameters})
    staged.verify()
    staged.commit()
    staged.settle()
    world.clock.pass_ms(1_000)
    return staged


def test_what_a_restored_versions_model_had_set_goes_with_it(world: World) -> None:
    """As if that model had run again."""
    staged_with(world, TableLayout(properties={"team": "old"}), team="old")
    world.published()
    back(world)
    assert world.target.parameters["team"] == "old"
    world.published()
    assert "team" not in world.target.parameters


def test_the_format_of_the_restored_version_decides_the_level(world: World) -> None:
    """Not the model's: a read that mixes two formats gets neither version."""
    world.repeatable_reads = False
    staged_with(world, TableLayout(file_format="orc"), **{"spark.sql.sources.provider": "orc"})
    world.published()
    assert back(world).level is Atomicity.ATOMIC


def _back_to_a_version_that_wrote_seven_files(world: World, **parameters: str) -> str:
    """It has one now; the version's id."""
    first = world.plan().begin()
    world.stage(first)
    more = [f"{version_of(first).directory}/part-{number}.parquet" for number in range(1, 7)]
    for path in more:
        world.storage.write(path, "rows")
    first.verify()
    first.commit()
    first.settle()
    for path in more:
        world.storage.delete(path)
    name = version_of(first).record
    found = world.metastore.tables[name]
    world.metastore.tables[name] = replace(found, parameters={**found.parameters, **parameters})
    world.published()
    back(world, first.version)
    return first.version


def test_a_version_with_fewer_files_than_its_job_wrote_is_named(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """Its owner may have overwritten a partition, so it is published all the same."""
    version = _back_to_a_version_that_wrote_seven_files(world)
    assert "has 1 data files, and its job wrote 7" in caplog.text
    assert world.shown == version


def test_deltas_fewer_files_are_no_news(world: World, caplog: pytest.LogCaptureFixture) -> None:
    """Its OPTIMIZE puts the same rows into fewer."""
    provider = {"spark.sql.sources.provider": "DELTA"}
    version = _back_to_a_version_that_wrote_seven_files(world, **provider)
    assert "data files" not in caplog.text
    assert world.shown == version
