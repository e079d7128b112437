"""The columns that other engines read: a second call where the server refuses new types."""

from dataclasses import replace

import pytest

from ctas_spark.context import Atomicity, OnConflict, PartitionMetadata
from ctas_spark.errors import (
    ColumnsRefusedError,
    MetastoreError,
)
from ctas_spark.files import follow_up
from ctas_spark.files.base import FileBase
from ctas_spark.files.publication import fenced
from ctas_spark.files.table import FileTable
from ctas_spark.metastore.client import (
    PLACEHOLDER,
    EntryChange,
    Expectation,
)
from ctas_spark.publish.marker import COMMIT, Marker
from ctas_spark.publish.version import Outcome
from ctas_spark.steps import StepReport
from fakes.metastore import FakeMetastore
from fakes.world import CONTEXT, TARGET_NAME, KilledError, Staged, World, version_of

OLD, NEW = (("id", "bigint"),), (("id", "date"), ("name", "string"))
FILES, TRACKED = PartitionMetadata.FILES, PartitionMetadata.TRACKED


class StrictMetastore(FakeMetastore):
    """Refuses other types by position, and an entry without columns unless it ``takes_none``.

    ``on_target`` has each change of the target: its columns, and the commit id that it expected.
    """

    def __init__(self) -> None:
        super().__init__()
        self.compares_columns = True
        self.takes_none = True
        self.on_target: list[tuple[tuple[tuple[str, str], ...], str | None]] = []
        self.kills_after = 0

    def alter_table(self, change: EntryChange, expected: Expectation | None) -> None:
        if change.columns == () and not self.takes_none:
            raise ColumnsRefusedError("at least one column must be specified")
        super().alter_table(change, expected)
        if change.target == TARGET_NAME:
            shown = self.tables[TARGET_NAME].columns
            self.on_target.append((shown, expected.value if expected else None))
            if len(self.on_target) == self.kills_after:
                raise KilledError


@pytest.fixture
def metastore() -> StrictMetastore:
    """A server as it is by default."""
    return StrictMetastore()


@pytest.fixture
def world(metastore: StrictMetastore) -> World:
    """A table of one column that was published once."""
    world = World()
    world.metastore = metastore
    publish(world, OLD)
    metastore.on_target.clear()
    return world


def begun(
    world: World,
    wanted: tuple[tuple[str, str], ...],
    on_conflict: OnConflict = OnConflict.ABORT,
    atomicity: Atomicity = Atomicity.AUTO,
) -> Staged:
    """A staged version with columns of its own."""
    staged = world.begun(on_conflict=on_conflict, atomicity=atomicity)
    name = version_of(staged).record
    world.metastore.tables[name] = replace(world.metastore.tables[name], columns=wanted)
    return staged


def publish(world: World, wanted: tuple[tuple[str, str], ...]) -> Staged:
    """The same, published."""
    staged = begun(world, wanted)
    staged.commit()
    staged.settle()
    return staged


def commit_of(world: World) -> str:
    """The commit id on the target."""
    return world.target.parameters[COMMIT]


def test_columns_that_the_server_takes_are_published_by_the_one_call(
    world: World, metastore: StrictMetastore
) -> None:
    """No second call follows."""
    publish(world, (*OLD, ("name", "string")))
    assert [len(shown) for shown, _ in metastore.on_target] == [2]


def test_columns_that_the_server_refuses_are_filled_by_a_second_call(
    world: World, metastore: StrictMetastore
) -> None:
    """The publishing call leaves none; the second expects the commit id and keeps it."""
    before = commit_of(world)
    ours = publish(world, NEW)
    assert ours.outcome is Outcome.COMMITTED
    assert metastore.on_target == [((), before), (NEW, commit_of(world))]
    marker = Marker.of(world.target)
    assert marker is not None
    assert (marker.version, marker.base) == (ours.version, before)


def test_a_version_that_is_filled_in_place_has_its_columns_before(
    world: World, metastore: StrictMetastore
) -> None:
    """Spark's INSERT ends with an alter of its own, which an entry without columns refuses."""
    ours = begun(world, NEW, atomicity=Atomicity.NONE)
    ours.commit()
    assert world.target.columns == ()
    assert ours.fill_statement("SELECT 1") is not None
    assert world.target.columns == NEW
    ours.settle()
    assert [shown for shown, _ in metastore.on_target] == [(), NEW]


def test_the_next_begin_finishes_what_a_crash_left(
    world: World, metastore: StrictMetastore
) -> None:
    """An entry without columns is one on which others' INSERT and ALTER fail."""
    ours = begun(world, NEW)
    metastore.kills_after = 1
    with pytest.raises(KilledError):
        ours.commit()
    assert world.target.columns == ()
    commit = commit_of(world)
    next_one = world.plan().begin()
    assert world.target.columns == NEW
    assert (next_one.base.version, commit_of(world)) == (ours.version, commit)


def test_recover_finishes_it_too_and_says_so(world: World, metastore: StrictMetastore) -> None:
    """A run-operation, for whoever can't wait for the next run."""
    ours = begun(world, NEW)
    metastore.kills_after = 1
    with pytest.raises(KilledError):
        ours.commit()
    done = world.catalog().recover(CONTEXT)
    assert done == ("the columns that other engines read are there now",)
    assert world.target.columns == NEW
    assert world.catalog().recover(CONTEXT) == ()


def test_a_begin_while_the_columns_are_missing_is_no_conflict_for_their_writer(
    world: World,
) -> None:
    """The first one to fill them has done it for both."""
    ours = begun(world, NEW)
    ours.commit()
    theirs = world.plan().begin()
    ours.settle()
    assert world.target.columns == NEW
    world.stage(theirs)
    theirs.verify()
    theirs.commit()
    assert theirs.outcome is Outcome.COMMITTED


def test_a_second_call_that_fails_is_left_to_the_next_run(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """The commit stands, and the model succeeds."""
    ours = begun(world, NEW)
    ours.commit()

    def refuse(call: str) -> None:
        if call == "alter_table":
            raise MetastoreError("no answer")

    world.metastore.before = refuse
    ours.settle()
    world.metastore.before = lambda _call: None
    assert ours.outcome is Outcome.COMMITTED
    assert "the next run does it" in caplog.text
    world.plan().begin()
    assert world.target.columns == NEW


def test_the_columns_are_those_of_the_version_that_is_shown(world: World) -> None:
    """A rival that commits before the second call has its own columns filled."""
    ours, theirs = begun(world, NEW), begun(world, (("id", "int"),))
    ours.commit()
    rival = world.plan(on_conflict="overwrite")
    assert rival.begin().base.version == ours.version  # it fills them as it begins
    with pytest.raises(Exception, match="CONCURRENT_WRITE"):
        theirs.commit()
    ours.settle()
    assert world.target.columns == NEW


def test_a_commit_between_read_and_call_is_read_afresh(world: World) -> None:
    """The call expects the commit id; a refusal begins it again."""
    rival = begun(world, (("id", "timestamp"),), OnConflict.OVERWRITE)
    ours = begun(world, NEW)
    ours.commit()

    def commit_rival(call: str) -> None:
        if call == "alter_table":
            world.metastore.before = lambda _call: None
            rival.commit()

    world.metastore.before = commit_rival
    ours.settle()
    assert world.target.directory_name == rival.version
    assert world.target.columns == (("id", "timestamp"),)


def test_a_fence_between_read_and_call_does_not_leave_it_without_columns(world: World) -> None:
    """The commit id is another one, and the columns are still missing: it is read afresh."""
    ours = begun(world, NEW)
    ours.commit()

    def fence(call: str) -> None:
        if call == "alter_table":
            world.metastore.before = lambda _call: None
            change = fenced(FileBase(world.target), world.clock.wall)
            assert change is not None
            empty = replace(change, columns=())
            world.metastore.alter_table(empty, None)

    world.metastore.before = fence
    ours.settle()
    assert world.target.columns == NEW


def test_a_version_whose_record_is_gone_gets_sparks_own_column(world: World) -> None:
    """Any column makes the entry one that others can alter."""
    ours = begun(world, NEW)
    ours.commit()
    del world.metastore.tables[version_of(ours).record]
    ours.settle()
    assert world.target.columns == (PLACEHOLDER[:2],)


def test_a_server_that_wants_columns_keeps_the_old_ones(
    world: World, metastore: StrictMetastore, caplog: pytest.LogCaptureFixture
) -> None:
    """One call, and a warning: Spark reads the new columns, and other engines the old ones."""
    metastore.takes_none = False
    ours = publish(world, NEW)
    assert (ours.outcome, world.target.columns) == (Outcome.COMMITTED, OLD)
    assert len(metastore.on_target) == 1
    assert "other engines see the old ones" in caplog.text


def test_nothing_is_filled_where_columns_are_there(world: World) -> None:
    """Nor on a table that is not ours."""
    table = FileTable(
        CONTEXT, world.catalog().services(CONTEXT.staging_schema), StepReport(TARGET_NAME)
    )
    assert not follow_up.lacks_columns(version_of(world.begun()).look())
    world.metastore.calls.clear()
    follow_up.fill_columns(table)
    assert "alter_table" not in world.metastore.calls


def test_what_an_insert_changed_between_read_and_call_stays_changed(world: World) -> None:
    """The commit id, which the second call expects, says nothing of an INSERT."""
    ours = begun(world, NEW)
    ours.commit()

    def insert() -> None:
        changed = {**world.target.parameters, "transient_lastDdlTime": "1800000000"}
        world.metastore.tables[TARGET_NAME] = replace(world.target, parameters=changed)

    world.once_after("get_table", insert)
    ours.settle()
    assert world.target.columns == NEW
    assert world.target.parameters["transient_lastDdlTime"] == "1800000000"
