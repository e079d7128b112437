"""What a clean-up makes of the attempts on a Delta table."""

from dataclasses import replace

import pytest

from ctas_spark.clock import HOUR_MS
from ctas_spark.context import TableName
from ctas_spark.delta import record as records
from ctas_spark.delta.facts import CommitFacts
from ctas_spark.errors import MetastoreError
from ctas_spark.metastore.client import PROVIDER
from ctas_spark.publish.marker import Lineage, Marker, PublicationKind, name_of_record
from ctas_spark.retention.clean_up import CleanUp
from ctas_spark.retention.rules import Reason, RetentionRules, Sweep
from ctas_spark.steps import StepReport
from fakes.delta_files import FakeFiles
from fakes.delta_world import CONTEXT, NOW, OLD, ROOT, TARGET, World, transactions
from fakes.metastore import entry

RULES = RetentionRules()
FENCING = RetentionRules(fences=True)


def cleaned(world: World, rules: RetentionRules = RULES, *, dry_run: bool = False) -> Sweep:
    """One clean-up; versions that are published or forgotten are among the kept ones."""
    return world.catalog.clean_up(CONTEXT, rules, dry_run=dry_run)


@pytest.mark.parametrize("young", ["its id", "its record", "its newest file"])
def test_an_attempt_stays_while_anything_of_it_is_young(young: str) -> None:
    """Its start, its record, its newest file: the youngest counts, whatever became of the table."""
    world = World()
    age = {young: HOUR_MS}
    made = world.attempt(
        age_ms=age.get("its id", OLD), written_ms_ago=age.get("its newest file", OLD)
    )
    if young == "its record":
        name = records.record_name(CONTEXT.staging_schema, TARGET, made.version)
        created = (NOW - HOUR_MS) // 1000
        world.metastore.tables[name] = replace(world.metastore.tables[name], create_time=created)
    world.publishes("another")
    before = dict(world.storage.held)
    assert cleaned(world).kept[made.version] is Reason.YOUNG
    assert world.storage.held == before
    assert world.record(made.version) == made


def test_an_old_attempt_over_the_present_table_stays_for_it_may_land() -> None:
    """Age alone proves nothing: its writer may have slept."""
    world = World()
    made = world.attempt()
    assert cleaned(world).kept[made.version] is Reason.MAY_LAND
    assert world.record(made.version) == made


def test_the_record_of_a_model_in_capital_letters_is_found_where_the_metastore_lists_it() -> None:
    """A metastore lists its names in small letters, whatever a model wrote."""
    world = World()
    made = world.attempt()
    capital = replace(made, target="shop.ORDERS")
    listed = records.record_name(CONTEXT.staging_schema, TARGET, made.version)
    world.metastore.tables[listed] = entry(listed, parameters=capital.to_parameters())
    asked = replace(CONTEXT, target=TableName("shop", "ORDERS"))
    assert records.records_of(replace(world.table, context=asked)) == (capital,)


@pytest.mark.parametrize("operation", ["WRITE", "VACUUM START", "OPTIMIZE"])
def test_anothers_commit_is_no_proof_that_delta_refuses_the_attempt(operation: str) -> None:
    """A transaction over an older version is refused only for what conflicts with it."""
    world = World()
    made = world.attempt()
    world.log.add(operation)
    assert cleaned(world).kept[made.version] is Reason.MAY_LAND


def test_an_old_attempt_goes_once_a_build_has_taken_its_base() -> None:
    """Exactly its directory and its two entries; the table's own files are left alone."""
    world = World()
    made = world.attempt()
    world.storage.put(f"{ROOT}/part-0.parquet")
    world.publishes("another")
    done = cleaned(world)
    assert done.freed == [made.stage]
    assert set(world.storage.held) == {f"{ROOT}/part-0.parquet"}
    assert world.staged() == set()


@pytest.mark.parametrize("is_published", [False, True])
def test_a_staged_table_without_a_record_goes_when_it_is_old(
    is_published: bool,  # noqa: FBT001
) -> None:
    """A job filled it after its record was taken; of what was published the log and entry go."""
    world = World()
    made, young = world.attempt(), world.attempt(written_ms_ago=HOUR_MS)
    for one in (made, young):
        del world.metastore.tables[records.record_name(CONTEXT.staging_schema, TARGET, one.version)]
    if is_published:
        world.publishes(made.version)
    done = cleaned(world)
    assert done.freed == ([] if is_published else [made.stage])
    assert done.kept[young.version] is Reason.YOUNG
    assert bool(world.storage.files(made.stage)) == is_published
    assert not world.storage.files(f"{made.stage}/_delta_log")
    assert not [name for name in world.staged() if made.version in name]


@pytest.mark.parametrize("became", ["gone", "another table", "a log that began anew"])
def test_an_old_attempt_goes_when_its_table_is_no_more(became: str) -> None:
    """A table that was dropped, or is another one by now, refuses the old one's transaction."""
    world = World()
    made = world.attempt(number=0 if became != "a log that began anew" else 4)
    if became == "gone":
        del world.tables.logs[ROOT]
        del world.metastore.tables[TARGET]
    elif became == "another table":
        world.log.identity = "id-2"
    assert cleaned(world).freed == [made.stage]


def test_a_fence_makes_an_old_attempt_go_where_it_is_asked_for() -> None:
    """It is one commit, and Delta refuses every attempt over what was there before."""
    world = World()
    made = world.attempt()
    world.publishes("v0")
    other = world.attempt(number=1)
    with transactions(world):
        done = cleaned(world, FENCING)
    assert sorted(done.freed) == sorted([made.stage, other.stage])
    assert world.log.commits[-1].is_fence
    assert len(world.log.commits) == 3
    assert world.table.look().version == "v0"


def test_a_fence_leaves_the_version_that_created_the_table() -> None:
    """It stands in the table's entry only, and the fence says nothing of versions."""
    world = World()
    created = Marker("c0", "v0", "", str(TARGET), "isolated", Lineage(), "c0")
    world.metastore.tables[TARGET] = entry(
        TARGET, location="file:/v0", parameters={PROVIDER: "delta", **created.to_parameters()}
    )
    world.attempt()
    with transactions(world):
        cleaned(world, FENCING)
    assert world.log.commits[-1].is_fence
    assert (world.table.look().version, world.table.look().level) == ("v0", "isolated")


def test_a_published_attempt_is_forgotten_whatever_its_age() -> None:
    """Its files are the table's by now: only the staged table's log and both entries go."""
    world = World()
    made = world.attempt(age_ms=0, written_ms_ago=0)
    world.publishes(made.version)
    assert cleaned(world).kept[made.version] is Reason.LIVE
    assert set(world.storage.held) == {f"{made.stage}/day=a b/f"}
    assert world.staged() == set()


def test_only_one_version_is_the_table(monkeypatch: pytest.MonkeyPatch) -> None:
    """The entry still names the version that created the table, as one of files is named."""
    world = World()
    world.publishes("v1")
    world.publishes("v2")
    of_files = Sweep(kept={"v1": Reason.LIVE, "v0": Reason.KEPT})
    monkeypatch.setattr(FakeFiles, "begin_clean_up", lambda *_, **__: lambda: of_files)
    assert cleaned(world).kept == {"v1": Reason.NATIVE, "v2": Reason.LIVE, "v0": Reason.KEPT}


def test_recover_forgets_what_was_published_and_leaves_the_rest() -> None:
    """Also what a native replace has given a new identity since."""
    world = World()
    published, young = world.attempt(), world.attempt(age_ms=0)
    world.publishes(published.version)
    world.log.add("CREATE OR REPLACE TABLE AS SELECT")
    world.log.identity = "id-2"
    (done,) = world.catalog.recover(CONTEXT)
    assert published.version in done
    assert world.record(young.version) == young
    assert world.catalog.recover(CONTEXT) == ()


def test_a_rollback_of_the_version_keeps_it_published() -> None:
    """A fence with the version's name does not make it so."""
    world = World()
    made = world.attempt()
    world.publishes(made.version, PublicationKind.FENCE)
    assert cleaned(world).freed == [made.stage]
    other = world.attempt(number=1)
    world.publishes(other.version, PublicationKind.ROLLBACK)
    assert cleaned(world).kept[other.version] is Reason.LIVE


def test_what_the_history_no_longer_tells_stays() -> None:
    """Delta expires its log: whether the attempt landed is not known then."""
    world = World()
    made = world.attempt()
    for _ in range(3):
        world.publishes("another")
    world.log.oldest = 2
    assert cleaned(world).kept[made.version] is Reason.FORGOTTEN
    assert world.record(made.version) == made
    assert world.storage.files(made.stage)


def test_what_can_not_be_found_out_is_an_error() -> None:
    """A log that does not answer is not a table that is gone."""
    world = World()
    made = world.attempt()
    world.tables.fails = MetastoreError("the storage did not answer")
    with pytest.raises(MetastoreError):
        cleaned(world)
    assert world.record(made.version) == made
    assert world.storage.files(made.stage)


def test_a_record_that_its_writer_has_changed_is_not_taken() -> None:
    """The writer has published over another base meanwhile, or is about to."""
    world = World()
    made = world.attempt()
    world.publishes("another")
    garbage = world.garbage()
    garbage.versions()
    records.move(world.table, replace(made, number=1), made)
    done = CleanUp(garbage, RULES, StepReport(TARGET)).run()
    assert done.kept[made.version] is Reason.TAKEN
    assert world.storage.files(made.stage)


def test_an_attempt_that_landed_before_it_was_taken_is_given_back() -> None:
    """The history is read again, directly before anything is deleted."""
    world = World()
    made = world.attempt()
    world.publishes("another")
    garbage = world.garbage()
    garbage.versions()
    world.publishes(made.version)
    done = CleanUp(garbage, RULES, StepReport(TARGET)).run()
    assert done.kept[made.version] is Reason.LIVE
    assert set(world.storage.held) == {f"{made.stage}/day=a b/f"}


def test_a_clean_up_that_died_after_it_took_the_record_is_finished_by_the_next() -> None:
    """What is being deleted can't be published any more: its writer reads its record first."""
    world = World()
    made = world.attempt(age_ms=0)
    world.publishes("another")
    garbage = world.garbage()
    assert garbage.take(garbage.versions()[0])
    (done,) = world.catalog.recover(CONTEXT)
    assert made.stage in done
    assert world.staged() == set()


def test_a_dry_run_changes_nothing() -> None:
    """Neither what would go, nor what is published."""
    world = World()
    dead, published = world.attempt(), world.attempt(age_ms=0)
    world.publishes(published.version)
    before = dict(world.storage.held), dict(world.metastore.tables), list(world.log.commits)
    done = cleaned(world, FENCING, dry_run=True)
    assert done.freed == [dead.stage]
    after = dict(world.storage.held), dict(world.metastore.tables), list(world.log.commits)
    assert after == before


def test_a_record_that_does_not_match_its_own_name_is_foreign() -> None:
    """Nothing is deleted by what somebody has copied."""
    world = World()
    made = world.attempt()
    world.publishes("another")
    name = records.record_name(CONTEXT.staging_schema, TARGET, made.version)
    copied = replace(name, table=name.table[:-1] + "0x")
    world.metastore.tables[copied] = replace(world.metastore.tables.pop(name), name=copied)
    del world.metastore.tables[name_of_record(CONTEXT.staging_schema, TARGET, made.version)]
    assert cleaned(world).freed == []
    assert world.storage.files(made.stage)


def test_a_commit_of_ours_closes_a_table_to_older_attempts() -> None:
    """A rollback does not: RESTORE may leave the metadata as it is."""
    world = World()
    world.publishes("v1")
    world.publishes("v1", PublicationKind.FENCE)
    world.publishes("v1", PublicationKind.ROLLBACK)
    commits: list[CommitFacts] = world.log.commits[1:]
    assert [one.refuses_older_attempts for one in commits] == [True, True, False]


def test_what_is_staged_on_a_table_that_no_model_builds_is_found_by_its_record() -> None:
    """It says whose it is; a dry run deletes nothing of it."""
    world, known = World(), [TableName("shop", "customers")]
    made = world.attempt()
    world.publishes("another")
    assert world.catalog.abandoned(CONTEXT, [TARGET, *known]) == ()
    assert world.catalog.abandoned(CONTEXT, known) == (TARGET,)
    for dry_run in (True, False):
        assert world.record(made.version) == made
        delete = world.catalog.begin_clean_up_abandoned(CONTEXT, RULES, dry_run=dry_run)
        assert delete().freed == [made.stage]
    assert world.record(made.version) is None
    assert world.catalog.abandoned(CONTEXT, known) == ()
