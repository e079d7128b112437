"""One attempt over a Delta table, through the one machine."""

from contextlib import nullcontext
from dataclasses import replace
from unittest.mock import patch

import pytest

from ctas_spark.context import Atomicity, OnConflict, StagingPurpose
from ctas_spark.delta import transaction
from ctas_spark.delta.record import RecordState
from ctas_spark.delta.tables import LoadedTable
from ctas_spark.engines.protocol import WriteFigures
from ctas_spark.errors import (
    AtomicityNotSupportedError,
    CommitRefusedError,
    CommitStateUnknownError,
    ConcurrentWriteError,
    MetastoreError,
    StagingError,
    StorageError,
)
from ctas_spark.metastore.client import VIEW
from ctas_spark.publish.version import Outcome
from ctas_spark.retention.rules import Reason, RetentionRules
from fakes.delta_world import CONTEXT, ROOT, TARGET, World, transactions
from fakes.engine import FakeJob
from fakes.metastore import entry


def test_the_record_is_there_before_the_first_file() -> None:
    """It says where the version is staged, and over which version of which table."""
    world = World()
    staged = world.catalog.plan(CONTEXT, FakeJob()).begin()
    record = world.record(staged.version)
    assert record is not None
    assert (record.state, record.id, record.number) == (RecordState.STAGED, "id-1", 0)
    assert record.stage == f"{ROOT}/stg_{staged.version}"
    assert world.storage.held == {}


def test_a_commit_leaves_only_the_files() -> None:
    """One commit with our marker; the staged table's log and entries are gone."""
    world = World()
    staged = world.begun()
    staged.verify()
    with transactions(world):
        staged.commit()
    staged.settle()
    assert (staged.outcome, staged.level) == (Outcome.COMMITTED, Atomicity.ISOLATED)
    assert staged.figures == WriteFigures(rows=3)
    marker = world.log.commits[-1].marker
    assert marker is not None
    assert (marker.version, marker.rows, marker.level) == (staged.version, 3, "isolated")
    assert world.staged() == set()
    assert set(world.storage.held) == {f"{ROOT}/stg_{staged.version}/day=a b/f"}


def test_what_was_changed_in_the_staged_table_since_its_job_is_published() -> None:
    """Comments on its columns are commits to its own log."""
    world = World()
    staged = world.begun()
    staged.verify()
    world.tables.logs[f"{ROOT}/stg_{staged.version}"].add("CHANGE COLUMN")
    numbers = []
    with transactions(world):
        publish = transaction.publish

        def seen(tables: object, over: object, staged: LoadedTable, *rest: object) -> None:
            numbers.append(staged.facts.number)
            publish(tables, over, staged, *rest)  # type: ignore[arg-type]

        with patch.object(transaction, "publish", seen):
            staged.commit()
    assert numbers == [1]


@pytest.mark.parametrize("atomicity", list(Atomicity)[1:])
def test_a_metastore_that_reaches_less_lowers_no_commit_to_a_log(atomicity: Atomicity) -> None:
    """What stands there decides; a creation is as strong as the metastore's one call."""
    world = World(Atomicity.ATOMIC)
    staged = world.begun(atomicity=atomicity)
    wanted = Atomicity.ISOLATED if atomicity is Atomicity.AUTO else atomicity
    assert (staged.level, staged.reach.conflict_check) == (wanted, "cas")
    del world.metastore.tables[TARGET]
    refused = atomicity is Atomicity.ISOLATED
    with pytest.raises(AtomicityNotSupportedError if refused else NotImplementedError):
        world.begun(atomicity=atomicity)
    assert world.files.opened == [] if refused else [Atomicity.ATOMIC]


def test_a_view_in_its_place_goes_the_way_of_files() -> None:
    """One metastore call replaces it by a whole Delta table."""
    world = World()
    world.metastore.tables[TARGET] = entry(TARGET, table_type=VIEW)
    with pytest.raises(NotImplementedError):
        world.begun()
    assert world.files.opened == [Atomicity.ISOLATED]


@pytest.mark.parametrize("lost", ["day=a b", ""])
def test_a_staged_file_that_vanished_is_never_published(lost: str) -> None:
    """Also while the transaction is made ready: the listing is the last before the commit."""
    world = World()
    staged = world.begun()
    stage = f"{ROOT}/stg_{staged.version}"
    staged.verify()
    with transactions(world):
        publish = transaction.publish

        def late(*arguments: object) -> None:
            world.storage.delete(f"{stage}/{lost}".rstrip("/"))
            publish(*arguments)  # type: ignore[arg-type]

        with (
            patch.object(transaction, "publish", late),
            pytest.raises(StagingError, match="incomplete"),
        ):
            staged.commit()
    staged.abort("not whole")
    assert len(world.log.commits) == 1
    assert (world.storage.held, world.staged()) == ({}, set())


@pytest.mark.parametrize("is_verified", [False, True])
def test_a_version_whose_log_is_gone_is_never_published(is_verified: bool) -> None:  # noqa: FBT001
    """At the end of its job as at its commit."""
    world = World()
    staged = world.begun()
    if is_verified:
        staged.verify()
    del world.tables.logs[f"{ROOT}/stg_{staged.version}"]
    with transactions(world), pytest.raises(StagingError, match="no Delta log"):
        (staged.commit if is_verified else staged.verify)()
    staged.abort("not whole")
    assert (len(world.log.commits), world.staged()) == (1, set())


def test_a_staged_directory_that_can_not_be_listed_is_not_published() -> None:
    """Nothing was called, and so nothing is unknown: the model fails and is withdrawn."""
    world = World()
    staged = world.begun()
    staged.verify()
    broken = patch.object(world.storage, "files", side_effect=StorageError("it is down"))
    with transactions(world), broken, pytest.raises(CommitRefusedError, match="it is down"):
        staged.commit()
    staged.abort("refused")
    assert (len(world.log.commits), world.staged()) == (1, set())


def test_a_staged_file_that_was_cut_is_never_published() -> None:
    """Its bytes are compared with those in the log."""
    world = World()
    staged = world.begun()
    staged.verify()
    world.storage.put(f"{ROOT}/stg_{staged.version}/day=a b/f", 6)
    with transactions(world), pytest.raises(StagingError, match="is incomplete"):
        staged.commit()


def test_what_another_wrote_is_kept() -> None:
    """Nothing of the model is published, and nothing of it is left."""
    world = World()
    staged = world.begun()
    staged.verify()
    world.log.add("WRITE")
    with transactions(world), pytest.raises(ConcurrentWriteError, match="WRITE, 1"):
        staged.commit()
    staged.abort("refused")
    assert len(world.log.commits) == 2
    assert (world.storage.held, world.staged()) == ({}, set())


@pytest.mark.parametrize("operation", ["OPTIMIZE", "VACUUM END"])
def test_upkeep_in_between_fails_no_model(operation: str) -> None:
    """Its new base is on the record before the commit."""
    world = World()
    staged = world.begun()
    staged.verify()
    world.log.add(operation)
    numbers = []
    with transactions(world):
        publish = transaction.publish

        def seen(*arguments: object) -> None:
            record = world.record(staged.version)
            numbers.append(record.number if record else None)
            publish(*arguments)  # type: ignore[arg-type]

        with patch.object(transaction, "publish", seen):
            staged.commit()
    assert (staged.outcome, numbers) == (Outcome.COMMITTED, [1])


def test_an_overwrite_writes_its_base_down_first() -> None:
    """A clean-up that reads the record then knows what the attempt may still land on."""
    world = World()
    staged = world.begun(on_conflict=OnConflict.OVERWRITE)
    staged.verify()
    world.log.add("WRITE")
    with transactions(world):
        staged.commit()
    assert staged.outcome is Outcome.COMMITTED
    record = world.record(staged.version)
    assert record is not None
    assert record.number == 1


def test_a_table_that_was_created_anew_never_gets_our_rows() -> None:
    """Not even by overwrite: the version was staged inside the other one."""
    world = World()
    staged = world.begun(on_conflict=OnConflict.OVERWRITE)
    staged.verify()
    world.log.identity = "id-2"
    with transactions(world), pytest.raises(ConcurrentWriteError, match="created again"):
        staged.commit()
    assert len(world.log.commits) == 1


def test_a_version_that_a_clean_up_took_is_not_published() -> None:
    """A clean-up that was told any age took it while its writer was alive: the model fails."""
    world = World()
    staged = world.begun()
    staged.verify()
    rules = RetentionRules(orphan_age_ms=0, fences=True)
    with transactions(world):
        swept = world.catalog.clean_up(CONTEXT, rules)
        assert swept.freed == [f"{ROOT}/stg_{staged.version}"]
        with pytest.raises(StagingError):
            staged.commit()
    staged.abort("refused")
    assert world.log.commits[-1].is_fence
    assert (world.storage.held, world.staged()) == ({}, set())


def test_a_writer_that_has_looked_already_is_refused_by_the_fence() -> None:
    """Between its last look and its transaction the clean-up takes all that it staged."""
    world = World()
    staged = world.begun()
    staged.verify()
    rules = RetentionRules(orphan_age_ms=0, fences=True)
    with transactions(world):
        publish = transaction.publish

        def late(*arguments: object) -> None:
            world.catalog.clean_up(CONTEXT, rules)
            publish(*arguments)  # type: ignore[arg-type]

        with patch.object(transaction, "publish", late), pytest.raises(ConcurrentWriteError):
            staged.commit()
    assert world.log.commits[-1].is_fence


def test_a_clean_up_at_any_moment_leaves_a_living_attempt_that_may_land() -> None:
    """Without a fence, no age lets it go while the table is what its writer expects."""
    world = World()
    staged = world.begun()
    staged.verify()
    swept = world.catalog.clean_up(CONTEXT, RetentionRules(orphan_age_ms=0))
    assert swept.kept[staged.version] is Reason.MAY_LAND
    with transactions(world):
        staged.commit()
    assert staged.outcome is Outcome.COMMITTED


@pytest.mark.parametrize("landed", [True, False])
def test_a_lost_answer_is_decided_by_the_history(landed: bool) -> None:  # noqa: FBT001
    """Committed if it is there; else nobody knows, and nothing is deleted."""
    world = World()
    staged = world.begun()
    staged.verify()
    with transactions(world):
        publish = transaction.publish

        def lost(*arguments: object) -> None:
            if landed:
                publish(*arguments)  # type: ignore[arg-type]
            raise MetastoreError("the answer was lost")

        refused = nullcontext() if landed else pytest.raises(CommitStateUnknownError)
        with patch.object(transaction, "publish", lost), refused:
            staged.commit()
    staged.abort("whatever")
    assert staged.outcome is (Outcome.COMMITTED if landed else Outcome.UNKNOWN)
    assert world.storage.files(f"{ROOT}/stg_{staged.version}")


def test_what_exists_is_kept_without_a_job() -> None:
    """No record is written for it."""
    world = World()
    staged = world.catalog.plan(
        replace(CONTEXT, purpose=StagingPurpose.CREATE_IF_NOT_EXISTS), FakeJob()
    ).begin()
    assert staged.outcome is Outcome.KEPT
    assert world.staged() == set()
