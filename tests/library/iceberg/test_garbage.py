"""What was staged and never published goes when it is old and can't be published any more."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from ctas_spark.clock import HOUR_MS, ORPHAN_AGE_MS
from ctas_spark.context import Atomicity, TableName
from ctas_spark.errors import MetastoreError, StorageError
from ctas_spark.iceberg.base import IcebergBase
from ctas_spark.iceberg.loaded import FilesGoneError
from ctas_spark.iceberg.version import IcebergVersion
from ctas_spark.retention.rules import Reason, RetentionRules, Sweep
from ctas_spark.steps import StepReport
from fakes.iceberg import document, with_snapshot
from fakes.iceberg_world import CONTEXT, TARGET, World, attempt

FENCES = RetentionRules(fences=True)


def test_an_old_fork_goes_once_the_target_has_moved_on(world: World) -> None:
    """Its files and its entry; a run that still lived would be refused by the comparison."""
    version = world.stage()
    attempt(version)
    world.insert()
    world.wait()
    before = world.tables.entries[TARGET]
    assert world.clean_up().freed == [f"w/t/data/{version.id}"]
    assert not world.is_whole(version)
    assert world.tables.entries[TARGET] == before


@pytest.mark.parametrize("young", ["id", "entry", "file"])
def test_a_fork_is_as_young_as_the_youngest_of_it(world: World, young: str) -> None:
    """The start of its run, the last change of its entry, and its newest file."""
    version = world.stage()
    world.insert()
    if young == "id":
        world.tables.entries[version.record][0]["last-updated-ms"] = 0
        world.storage.modified[world.file_of(version)] = 0
    else:
        world.wait(2 * ORPHAN_AGE_MS)
    if young == "entry":
        world.tables.put(version.record, world.tables.entries[version.record][0])
    if young == "file":
        world.storage.write(world.file_of(version), "more")
    world.wait(ORPHAN_AGE_MS - HOUR_MS)
    assert world.clean_up().kept == {version.id: Reason.YOUNG}
    assert world.is_whole(version)
    world.wait()
    world.clean_up()
    assert not world.is_whole(version)


def test_an_old_fork_stays_while_it_may_land(world: World) -> None:
    """The target is still what its writer expects; a vacuum that fences lets it go."""
    version = world.stage()
    attempt(version)
    world.wait()
    assert world.clean_up().kept == {version.id: Reason.MAY_LAND}
    before = world.tables.entries[TARGET]
    assert world.clean_up(FENCES, dry_run=True).freed == [f"w/t/data/{version.id}"]
    assert world.tables.entries[TARGET] == before
    assert world.is_whole(version)
    world.clean_up(FENCES)
    assert not world.is_whole(version)
    assert world.tables.entries[TARGET] != before


def test_upkeep_of_the_target_proves_nothing(world: World) -> None:
    """A REST server would still take the commit: main is the same."""
    version = world.stage()
    world.tables.put(TARGET, world.tables.entries[TARGET][0])
    world.wait()
    assert world.clean_up().kept == {version.id: Reason.MAY_LAND}


def test_an_old_creation_goes_after_its_record_says_so() -> None:
    """Its writer reads that after the call, and takes its entry back."""
    world = World.new()
    version = world.stage()
    attempt(version)
    world.wait()
    states = []
    delete = world.storage.delete

    def noting(path: str) -> None:
        states.append(world.tables.entries[version.record][0]["properties"]["ctas_spark_state"])
        delete(path)

    world.storage.delete = noting  # type: ignore[method-assign]
    world.clean_up()
    assert not world.is_whole(version)
    assert set(states) == {"deleting"}


def test_a_creation_that_another_has_overtaken_goes() -> None:
    """Theirs is untouched."""
    world = World.new()
    version = world.stage()
    attempt(version)
    world.tables.put(TARGET, with_snapshot(document("theirs")))
    world.wait()
    world.clean_up()
    assert not world.is_whole(version)
    assert world.tables.entries[TARGET][0]["table-uuid"] == "theirs"


def test_a_published_fork_is_only_forgotten(world: World) -> None:
    """However young: its entry and its own metadata go, and not one file of the table."""
    version = world.stage()
    attempt(version)
    fork, file = world.tables.entries[version.record]
    world.storage.write(file, "{}")
    world.land(version)
    assert world.clean_up(dry_run=True).freed == []
    assert version.record in world.tables.entries
    swept = world.clean_up()
    assert (swept.freed, swept.kept) == ([], {version.id: Reason.LIVE})
    assert version.record not in world.tables.entries
    assert world.file_of(version) in world.storage.texts
    assert file not in world.storage.texts
    assert fork["properties"]["ctas_spark_version"] == version.id


def test_a_creation_that_was_forgotten_before_its_writer_looks_stays() -> None:
    """However long the writer stalls after its call: its record is gone, and its files are not."""
    world = World.new()
    version = world.stage()
    attempt(version)

    def forgetting(call: str, name: TableName) -> None:
        if (call, name) == ("register", TARGET):
            assert world.clean_up().freed == []
            assert version.record not in world.tables.entries

    world.tables.after = forgetting
    version.publish(IcebergBase(None))
    assert TARGET in world.tables.entries
    assert world.file_of(version) in world.storage.texts
    assert version.settle(StepReport(TARGET)) == []


def test_recover_forgets_what_was_published_and_nothing_else(world: World) -> None:
    """There is nothing else to finish."""
    landed, waiting = world.stage(), world.stage()
    attempt(landed)
    world.land(landed)
    (done,) = world.catalog.recover(CONTEXT)
    assert str(landed.record) in done
    assert landed.record not in world.tables.entries
    assert world.is_whole(waiting)


def test_a_fork_that_lands_while_it_is_taken_is_only_forgotten(world: World) -> None:
    """The target is read again after its record was."""
    version = world.stage()
    attempt(version)
    world.wait()
    start = world.tables.entries[TARGET]
    world.insert()

    def landing(_: str, name: TableName) -> None:
        if name == version.record:
            world.tables.after = lambda *_: None
            world.tables.entries[TARGET] = start
            world.land(version)

    world.tables.after = landing
    world.clean_up()
    assert world.file_of(version) in world.storage.texts
    assert version.record not in world.tables.entries


Move = Callable[[IcebergVersion], object]


@pytest.mark.parametrize(
    "move",
    [
        lambda version: version.rebase(version.look()),
        lambda version: version.mark(version.look(), Atomicity.ISOLATED),
    ],
    ids=["rebase", "mark"],
)
def test_a_writer_that_moves_on_while_its_fork_is_taken_keeps_it(world: World, move: Move) -> None:
    """The proof was of another base, or of another attempt; and the writer publishes nothing."""
    version = world.stage()
    world.insert()
    world.wait()
    begun = version.look()

    def moving(_: str, name: TableName) -> None:
        if name == version.record:
            world.tables.after = lambda *_: None
            with pytest.raises(Exception, match="a clean-up deleted"):
                move(version)

    world.tables.after = moving
    assert world.clean_up().kept == {version.id: Reason.TAKEN}
    assert world.is_whole(version)
    with pytest.raises(Exception, match="a clean-up deleted"):
        version.mark(begun, Atomicity.ISOLATED)


def test_a_taken_fork_needs_the_proof_all_the_same(world: World) -> None:
    """The call of its writer may be on its way from before it was taken."""
    version = world.stage()
    attempt(version)
    world.tables.find(version.record).with_properties({"ctas_spark_state": "deleting"})
    world.wait()
    assert world.clean_up().kept == {version.id: Reason.MAY_LAND}
    world.insert()
    world.clean_up()
    assert not world.is_whole(version)


def test_a_target_that_cannot_be_read_is_an_error(world: World) -> None:
    """It is not taken for one that has moved on."""
    version = world.stage()
    world.insert()
    world.wait()
    world.tables.unreadable[TARGET] = MetastoreError("no answer")
    with pytest.raises(MetastoreError, match="no answer"):
        world.clean_up()
    assert world.is_whole(version)


def test_files_that_cannot_be_listed_are_an_error(world: World) -> None:
    """They are not taken for old."""
    version = world.stage()
    world.insert()
    world.wait()
    world.storage.refuses = True
    (refused,) = world.clean_up().failed.values()
    assert isinstance(refused, StorageError)
    world.storage.refuses = False
    assert world.is_whole(version)


def test_a_fork_that_was_made_unsafe_loses_its_entry_alone(world: World) -> None:
    """A commit on it could delete the target's files, so none is made, and none of its files go."""
    version = world.stage()
    world.insert()
    world.tables.find(version.record).with_properties({"gc.enabled": "true"})
    world.wait()
    before = dict(world.storage.texts)
    puts = len(world.tables.files)
    world.clean_up()
    assert version.record not in world.tables.entries
    assert (dict(world.storage.texts), len(world.tables.files)) == (before, puts)


def test_an_entry_that_leads_nowhere_goes(world: World) -> None:
    """A clean-up was killed between the files and the entry, or this machine sees no storage."""
    version = world.stage()
    del world.tables.entries[version.record]
    world.tables.unreadable[version.record] = FilesGoneError("its metadata is gone")
    assert world.clean_up().kept == {version.id: Reason.YOUNG}
    world.wait()
    assert world.clean_up(dry_run=True).freed == [str(version.record)]
    assert version.record in world.tables.unreadable
    world.clean_up()
    assert version.record not in world.tables.unreadable


def test_a_fork_that_was_only_registered_loses_its_entry_alone(world: World) -> None:
    """Nothing is written to the target's metadata, which it shares."""
    version = IcebergVersion(CONTEXT, world.services, StepReport(TARGET))
    world.tables.register(version.record, world.tables.entries[TARGET][1])
    files = dict(world.tables.files)
    assert world.clean_up().kept == {version.id: Reason.YOUNG}
    world.wait()
    world.clean_up()
    assert version.record not in world.tables.entries
    assert world.tables.files == files


def test_forks_of_another_table_are_not_looked_at(world: World) -> None:
    """Two schemas may have tables of one name, and one staging schema."""
    version = world.stage()
    world.tables.find(version.record).with_properties({"ctas_spark_target": "ice.other.t"})
    world.insert()
    world.wait()
    swept = world.clean_up()
    assert (swept.freed, swept.kept) == ([], {})
    assert world.is_whole(version)


def test_a_base_is_kept_as_text(world: World) -> None:
    """The record's own form of it is what the target is compared with."""
    version = world.stage()
    found = world.tables.entries[version.record][0]["properties"]["ctas_spark_base"]
    assert found == str(IcebergBase(world.tables.find(TARGET)))


CUSTOMERS = TableName("db", "customers", "ice")


def abandoned(world: World, rules: RetentionRules, *, dry_run: bool = False) -> dict[str, Sweep]:
    """What a vacuum of a project without the table makes of it, by the table's name."""
    found = world.catalog.abandoned(replace(CONTEXT, target=CUSTOMERS), [CUSTOMERS])
    return {
        str(one): world.catalog.begin_clean_up_abandoned(
            replace(CONTEXT, target=one), rules, dry_run=dry_run
        )()
        for one in found
    }


@pytest.mark.parametrize("is_dropped", [False, True])
def test_a_fork_of_a_table_that_no_model_builds_is_found_by_its_record(
    world: World, *, is_dropped: bool
) -> None:
    """It says whose it is, also when the table is gone; a dry run deletes nothing of it."""
    version = world.stage()
    assert abandoned(world, RetentionRules())[str(TARGET)].kept == {version.id: Reason.YOUNG}
    world.insert()
    if is_dropped:
        del world.tables.entries[TARGET]
    world.wait()
    freed = [f"w/t/data/{version.id}"]
    assert abandoned(world, RetentionRules(), dry_run=True)[str(TARGET)].freed == freed
    assert world.is_whole(version)
    assert abandoned(world, RetentionRules())[str(TARGET)].freed == freed
    assert not world.is_whole(version)
    assert abandoned(world, RetentionRules()) == {}


def test_what_a_model_has_staged_is_not_abandoned(world: World) -> None:
    """Whatever the case of its name."""
    world.stage()
    assert world.catalog.abandoned(CONTEXT, [TableName("DB", "T", "ice")]) == ()
