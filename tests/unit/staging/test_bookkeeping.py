"""The metastore's partitions follow the published version, and readers never depend on it."""

import logging
from dataclasses import replace

import pytest
from dbt.adapters.ctas_spark.staging.files.records import BOOKKEEPING, SOMEBODY
from dbt.adapters.ctas_spark.staging.files.staged_file_table import StagedFileTable
from dbt.adapters.ctas_spark.staging.retention.lease import Lease
from dbt.adapters.ctas_spark.staging.retention.lease_file import LeaseFile
from dbt.adapters.ctas_spark.staging.retention.process_identity import ProcessIdentity

from dbt.adapters.ctas_spark.staging.context import (
    Atomicity,
    OnConflict,
    PartitionMetadata,
    StagingPurpose,
    TableLayout,
)
from dbt.adapters.ctas_spark.staging.errors import (
    AtomicityNotSupportedError,
    MetastoreError,
    StagingError,
)
from dbt.adapters.ctas_spark.staging.files.publication import PARTITION_PROVIDER, PARTITIONS
from dbt.adapters.ctas_spark.staging.publish.marker import Kind, Marker
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules
from dbt.adapters.ctas_spark.staging.steps import Step, observe
from fakes.partitions import partition
from fakes.world import BY_MONTH, TARGET_NAME, World

REPLACED = StagingPurpose.CREATE_OR_REPLACE.value


class KilledError(Exception):
    """The process ended here."""


class Killer:
    """Ends the process as a step begins."""

    def __init__(self, step: Step) -> None:
        self._step = step

    def entered(self, step: Step, target: object) -> None:  # noqa: ARG002
        if step is self._step:
            raise KilledError

    def left(self, step: Step, target: object) -> None:
        """Nothing."""


@pytest.fixture(params=["embedded", "remote"])
def world(request: pytest.FixtureRequest) -> World:
    """A lock of this process, or the metastore's own."""
    return World(single_process=request.param == "embedded")


@pytest.fixture
def remote() -> World:
    """Only a lock of the metastore can run out."""
    return World()


def properties(world: World) -> tuple[str | None, str | None]:
    """What Spark and we say of the target's partitions."""
    parameters = world.metastore.tables[TARGET_NAME].parameters
    return parameters.get(PARTITION_PROVIDER), parameters.get(PARTITIONS)


def wants_tracked(world: World, *months: str) -> StagedFileTable:
    """A published version whose partitions are not tracked yet."""
    ours = world.begun(REPLACED, *months)
    ours.commit()
    return ours


def next_run(world: World) -> World:
    """Another process, after this one ended without a word."""
    after = World(single_process=world.single_process)
    after.metastore, after.storage = world.metastore, world.storage
    after.lease = Lease(world.storage)
    return after


def dead(world: World, staged: StagedFileTable) -> None:
    """The run's process is known to be gone; its lease is still there."""
    world.lease.close()
    gone = replace(ProcessIdentity.current(), pid=2**30)
    lease = LeaseFile(world.lease.id, gone).to_text()
    world.storage.write(f"{staged.root.leases}/{world.lease.id}", lease)


def test_partitions_follow_every_publication(world: World) -> None:
    """Added, kept and gone values: the metastore keeps those of the last version alone."""
    world.published(REPLACED, "may", "june")
    last = world.published(REPLACED, "june", "july")
    assert world.months() == {("june", last.version), ("july", last.version)}
    assert properties(world) == ("catalog", "tracked")


def test_the_swap_itself_tracks_nothing(world: World) -> None:
    """Until the last step Spark lists directories, so that readers are right from the swap on."""
    world.published(REPLACED, "may")
    wants_tracked(world, "june")
    assert properties(world) == (None, "pending")


def test_tracking_is_a_repair_in_the_lineage(world: World) -> None:
    """The last step is a publication of its own: it names the same version."""
    published = world.published(REPLACED, "may")
    marker = Marker.of(world.metastore.tables[TARGET_NAME])
    assert marker is not None
    assert marker.version == published.version
    assert [e.kind for e in marker.lineage.entries] == [Kind.REPAIR, Kind.BUILD]


@pytest.mark.parametrize("step", [Step.DROP_PARTITIONS, Step.ADD_PARTITIONS, Step.TRACK_PARTITIONS])
def test_the_next_begin_repairs_what_a_crash_left(world: World, step: Step) -> None:
    """Whichever step a kill falls into, the next begin tracks the published version."""
    world.published(REPLACED, "may")
    ours = wants_tracked(world, "june", "july")
    with observe(Killer(step)), pytest.raises(KilledError):
        ours.settle()
    assert properties(world) == (None, "pending")
    dead(world, ours)
    next_run(world).begun(REPLACED, "august")
    assert world.months() == {("june", ours.version), ("july", ours.version)}
    assert properties(world) == ("catalog", "tracked")


@pytest.mark.parametrize("step", [Step.DROP_PARTITIONS, Step.ADD_PARTITIONS, Step.TRACK_PARTITIONS])
def test_two_writers_never_leave_a_mix(world: World, step: Step) -> None:
    """A rival that publishes at any step has its own partitions alone when both are done."""
    theirs = world.begun(REPLACED, "july", on_conflict=OnConflict.OVERWRITE)

    class Rival:
        def entered(self, entered: Step, target: object) -> None:  # noqa: ARG002
            if entered is step:
                theirs.commit()

        def left(self, step: Step, target: object) -> None:
            """Nothing."""

    ours = wants_tracked(world, "may", "june")
    with observe(Rival()):
        ours.settle()
    assert properties(world) == (None, "pending")
    theirs.settle()
    assert world.months() == {("july", theirs.version)}
    assert properties(world) == ("catalog", "tracked")


def test_what_an_insert_added_meanwhile_is_tracked_too(world: World) -> None:
    """The version's directories are listed again before its partitions are added."""
    ours = wants_tracked(world, "may")

    def repaired(statement: str) -> None:
        assert statement.startswith("MSCK REPAIR TABLE")
        location = f"{ours.root.version(ours.version)}/month=june"
        world.metastore.kept[ours.record][("june",)] = partition(location, "june")

    world.engine.on_sql = repaired
    ours.settle()
    assert world.months() == {("may", ours.version), ("june", ours.version)}


def test_an_entry_that_changes_meanwhile_is_looked_at_again(world: World) -> None:
    """An ALTER between two steps is kept, and its partitions are tracked in another turn."""
    ours = wants_tracked(world, "may")
    turns: list[str] = []

    def altered(statement: str) -> None:
        turns.append(statement)
        if len(turns) == 1:
            now = world.metastore.tables[TARGET_NAME]
            parameters = {**now.parameters, "numRows": "7"}
            world.metastore.tables[TARGET_NAME] = replace(now, parameters=parameters)

    world.engine.on_sql = altered
    ours.settle()
    assert len(turns) == 2
    assert world.metastore.tables[TARGET_NAME].parameters["numRows"] == "7"
    assert properties(world) == ("catalog", "tracked")


def test_a_failing_call_leaves_them_pending_and_the_model_published(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """The commit stands; what is missing is said and left to the next run."""
    ours = wants_tracked(world, "may")

    def refuse(call: str) -> None:
        if call == "add_partitions":
            raise MetastoreError("connection lost")

    world.metastore.before = refuse
    ours.settle()
    assert ours.partitions.value == "pending"
    assert "not tracked yet" in caplog.text


def test_old_entries_wait_for_their_readers(world: World) -> None:
    """A table that goes over to files keeps its entries for the grace period, and no longer.

    Sessions that resolved the tracked one still ask for them; later MSCK REPAIR would revive them.
    """
    tracked = world.published(REPLACED, "may")
    ours = world.begun(REPLACED, "june", partition_metadata=PartitionMetadata.FILES)
    ours.commit()
    ours.settle()
    assert properties(world) == (None, "files")
    rules = RetentionRules(grace_ms=60_000)
    world.catalog().clean_up(ours.context, rules)
    assert world.months() == {("may", tracked.version)}
    world.storage.now_ms += 60_000
    world.catalog().clean_up(ours.context, rules)
    assert world.months() == set()


AUTO = PartitionMetadata.AUTO


def test_auto_lists_where_it_is_isolated(world: World) -> None:
    """A session that resolved a tracked table before would read the new version's partitions."""
    ours = world.begun(REPLACED, "may", partition_metadata=AUTO)
    assert (ours.level, ours.partitions.value) == (Atomicity.ISOLATED, "files")


def test_auto_tracks_at_atomic_where_there_is_a_lock(
    remote: World, caplog: pytest.LogCaptureFixture
) -> None:
    """Without lock tables it publishes files, and the log names what is missing."""
    caplog.set_level(logging.INFO)
    asked = {"partition_metadata": AUTO, "atomicity": Atomicity.ATOMIC}
    assert remote.begun(REPLACED, "may", **asked).partitions.value == "pending"
    remote.metastore.has_locks = False
    assert remote.begun(REPLACED, "may", **asked).partitions.value == "files"
    assert "no lock tables" in caplog.text


def test_tracked_by_name_goes_down_to_atomic_and_says_so(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """Nothing weakens silently."""
    assert world.begun(REPLACED, "may").level is Atomicity.ATOMIC
    assert "with the old schema" in caplog.text


def test_tracked_and_isolated_by_name_contradict_each_other(world: World) -> None:
    """The error says why, and what would work."""
    with pytest.raises(AtomicityNotSupportedError, match="resolved the table before"):
        world.begun(REPLACED, "may", atomicity=Atomicity.ISOLATED)


@pytest.mark.parametrize("level", [Atomicity.AUTO, Atomicity.NONE])
def test_tracked_by_name_is_kept_or_refused(remote: World, level: Atomicity) -> None:
    """Without a lock, or filled in place, tracked by name is an error before any job."""
    remote.metastore.has_locks = level is Atomicity.NONE
    with pytest.raises(StagingError, match="partition_metadata: tracked"):
        remote.begun(REPLACED, "may", atomicity=level)


def test_a_column_that_a_metastore_can_not_filter_by_is_not_tracked(remote: World) -> None:
    """Spark's "where" on such a column fails as soon as partitions are tracked."""
    layout = TableLayout(partition_by=("the month",))
    with pytest.raises(StagingError, match="can't filter"):
        remote.begun(REPLACED, "may", layout=layout)


def test_an_unpartitioned_table_asks_for_no_lock(remote: World) -> None:
    """Bookkeeping costs nothing where there are no partitions."""
    remote.published()
    assert "lock" not in remote.metastore.calls


def paused_holder(world: World) -> StagedFileTable:
    """A run whose lock ended while it stood in the middle of its bookkeeping."""
    ours = wants_tracked(world, "may")
    with observe(Killer(Step.ADD_PARTITIONS)), pytest.raises(KilledError):
        ours.settle()
    world.metastore.expire_locks()
    assert world.metastore.tables[ours.record].parameters[BOOKKEEPING] == SOMEBODY
    return ours


def test_nobody_tracks_while_a_holder_may_wake_up(
    remote: World, caplog: pytest.LogCaptureFixture
) -> None:
    """A lock that ran out proves no death: the next version is right, and stays untracked."""
    paused_holder(remote)
    after = next_run(remote)
    theirs = after.published(REPLACED, "june")
    assert theirs.partitions.value == "pending"
    assert properties(after) == (None, "pending")
    assert "may still change them" in caplog.text


def test_a_holder_that_is_gone_is_forgotten(remote: World) -> None:
    """Once its process is known to have ended, the partitions are tracked again."""
    ours = paused_holder(remote)
    dead(remote, ours)
    theirs = next_run(remote).published(REPLACED, "june")
    assert remote.months() == {("june", theirs.version)}
    assert properties(remote) == ("catalog", "tracked")
    assert remote.metastore.tables[ours.record].parameters[BOOKKEEPING] != SOMEBODY


def test_a_holder_is_forgotten_after_unknown_after(remote: World) -> None:
    """A process of which nothing can be known does not block tracking for ever."""
    paused_holder(remote)
    remote.storage.now_ms += 86_400_000
    next_run(remote).published(REPLACED, "june")
    assert properties(remote) == ("catalog", "tracked")


def test_a_lost_lock_stops_the_bookkeeping(remote: World) -> None:
    """A holder that wakes up without its lock changes nothing more."""
    ours = wants_tracked(remote, "may")

    def expire(_statement: str) -> None:
        remote.metastore.expire_locks()

    remote.engine.on_sql = expire
    ours.settle()
    assert "add_partitions" not in remote.metastore.calls
    assert properties(remote) == (None, "pending")


def test_a_lock_is_given_back(remote: World) -> None:
    """Nobody waits for a run that has ended its bookkeeping, well or badly."""
    remote.published(REPLACED, "may")
    assert remote.metastore.locks == {}


def test_a_record_without_partitions_is_listed(world: World) -> None:
    """A session that keeps no partitions at all stages files, and so they stay."""
    ours = world.table(layout=BY_MONTH, partition_metadata=PartitionMetadata.TRACKED)
    ours.begin()
    world.stage(ours)
    record = world.metastore.tables[ours.record]
    untracked = {k: v for k, v in record.parameters.items() if k != PARTITION_PROVIDER}
    world.metastore.tables[ours.record] = replace(record, parameters=untracked)
    ours.commit()
    ours.settle()
    assert properties(world) == (None, "files")
