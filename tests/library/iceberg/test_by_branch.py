"""A rebuild that changes rows only: what it leaves on the table, and what stops it."""

from dataclasses import replace
from typing import Any

import pytest

from ctas_spark.clock import ORPHAN_AGE_MS
from ctas_spark.context import Atomicity, StagingContext, TableLayout
from ctas_spark.engines.protocol import WriteFigures
from ctas_spark.errors import (
    AtomicityNotSupportedError,
    ConcurrentWriteError,
    EntryModifiedError,
    MetastoreError,
    StagedVersionGoneError,
    StagedVersionIncompleteError,
)
from ctas_spark.iceberg.base import IcebergBase
from ctas_spark.iceberg.branches import MOST_TRIES, change_branches
from ctas_spark.iceberg.version import IcebergVersion
from ctas_spark.retention.rules import Reason, RetentionRules
from ctas_spark.steps import StepReport
from fakes.iceberg import column, document, with_snapshot
from fakes.iceberg_world import CONTEXT, FIGURES, TARGET, World

ISOLATED = Atomicity.ISOLATED
ROWS = "SELECT id"


def begun(
    world: World, query: str = ROWS, context: StagingContext = CONTEXT, *, at_once: bool = False
) -> IcebergVersion:
    """A version whose way is chosen."""
    version = IcebergVersion(context, world.services, StepReport(TARGET), forks_at_once=at_once)
    version.stage_on(version.look(), ISOLATED)
    version.statement(query)
    return version


def staged(world: World) -> IcebergVersion:
    """A version whose job has written to its branch."""
    version = begun(world)
    write(world, version)
    assert version.check_staged(WriteFigures()) == WriteFigures(rows=2, files=1, bytes=4)
    return version


def write(world: World, version: IcebergVersion) -> None:
    """A commit to the version's branch."""
    table = world.tables.entries[TARGET][0]
    world.tables.put(TARGET, with_snapshot(table, FIGURES, branch=version.record.branch))


def branches(world: World) -> list[str]:
    """Those of the target."""
    return list(world.tables.history(TARGET).branches)


def test_rows_alone_are_staged_in_a_branch(world: World) -> None:
    """Main stays, nothing is in the staging schema, and the statement replaces every row.

    It selects the table's columns by name: a view that the query reads may change before it runs.
    """
    main = world.tables.history(TARGET).main
    version = IcebergVersion(CONTEXT, world.services, StepReport(TARGET))
    version.stage_on(version.look(), ISOLATED)
    assert (branches(world), version.places) == (["main"], "")
    said = version.statement(ROWS)
    path = f"`ice`.`db`.`t`.`branch_ctas_{version.id}`"
    assert said == f"INSERT INTO {path} REPLACE WHERE true\nSELECT `id` FROM (\n{ROWS}\n)"
    assert branches(world) == ["main", f"ctas_{version.id}"]
    assert (world.tables.history(TARGET).main, list(world.tables.entries)) == (main, [TARGET])
    assert version.reach(version.look()).strategy == "fast_forward"


@pytest.mark.parametrize(
    ("table", "query", "layout"),
    [
        ({}, "SELECT other", TableLayout("iceberg")),
        ({}, "SELECT id more", TableLayout("iceberg")),
        ({}, "what?", TableLayout("iceberg")),
        ({}, ROWS, TableLayout("iceberg", ("id",))),
        ({}, ROWS, TableLayout("iceberg", properties={"ours": "set"})),
        ({}, ROWS, TableLayout("iceberg", properties={"format-version": "3"})),
        ({}, ROWS, TableLayout("iceberg", comment="new")),
        ({}, ROWS, TableLayout("iceberg", column_comments={"id": "new"})),
        ({"required": True}, ROWS, TableLayout("iceberg")),
        ({"doc": "theirs"}, ROWS, TableLayout("iceberg")),
        ({"write-default": 7}, ROWS, TableLayout("iceberg")),
    ],
    ids=[
        "column",
        "columns",
        "query of its own errors",
        "partitions",
        "property",
        "format version",
        "comment",
        "column's comment",
        "NOT NULL",
        "comment that goes",
        "default",
    ],
)
def test_more_than_rows_is_staged_on_a_fork(
    world: World, table: dict[str, Any], query: str, layout: TableLayout
) -> None:
    """What the rebuild would change or end, as Iceberg's own replace does."""
    schemas = [{"schema-id": 0, "fields": [column(1, "id", **table)]}]
    world.tables.put(TARGET, with_snapshot(document(schemas=schemas)))
    version = begun(world, query, replace(CONTEXT, layout=layout))
    assert branches(world) == ["main"]
    assert version.record in world.tables.entries
    assert version.reach(version.look()).strategy == "swap"


def test_a_table_that_never_had_a_snapshot_is_staged_on_a_fork(world: World) -> None:
    """A branch has nowhere to begin."""
    world.tables.put(TARGET, document())
    assert begun(world).reach(IcebergBase(world.tables.find(TARGET))).strategy == "swap"


def test_what_a_server_takes_is_asked_before_the_way_is_known(world: World) -> None:
    """Of the first rebuild; its fork is not needed then, and goes."""
    version = begun(world, at_once=True)
    assert world.tables.has_forked
    assert list(world.tables.entries) == [TARGET]
    assert branches(world) == ["main", f"ctas_{version.id}"]


@pytest.mark.parametrize("value", ["true", "TRUE"])
def test_a_session_that_writes_elsewhere_is_refused(
    world: World, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    """A table in WAP mode would get the rows in another branch, or in none."""
    world.tables.put(TARGET, with_snapshot(document(properties={"write.wap.enabled": value})))
    assert begun(world).id
    monkeypatch.setattr(world.tables, "writes_elsewhere", lambda: "spark.wap.id")
    with pytest.raises(AtomicityNotSupportedError, match=r"sets spark\.wap\.id"):
        begun(world)


def test_a_job_that_wrote_nothing_is_not_published(world: World) -> None:
    """The branch still ends where it began."""
    with pytest.raises(StagedVersionIncompleteError, match="wrote nothing"):
        begun(world).check_staged(WriteFigures())


def test_columns_that_change_under_the_job_are_a_conflict(world: World) -> None:
    """It fills them by position; what it wrote may be in the wrong ones."""
    version = begun(world)
    write(world, version)
    world.tables.entries[TARGET][0]["snapshots"][-1]["schema-id"] = 1
    with pytest.raises(ConcurrentWriteError, match="columns changed"):
        version.check_staged(WriteFigures())


def test_a_branch_that_others_change_is_not_published(world: World) -> None:
    """Somebody dropped it, wrote to it, or deleted a file of it."""
    version = staged(world)
    world.tables.gone = "no such file"
    with pytest.raises(StagedVersionIncompleteError, match="no such file"):
        version.mark(version.look(), ISOLATED)
    world.tables.gone = ""
    assert version.mark(version.look(), ISOLATED)
    write(world, version)
    with pytest.raises(StagedVersionIncompleteError, match="another has written"):
        version.mark(version.look(), ISOLATED)
    world.tables.drop_branch(TARGET, version.record.branch)
    with pytest.raises(StagedVersionGoneError):
        version.mark(version.look(), ISOLATED)


def test_a_drop_takes_the_branch(world: World) -> None:
    """Whatever has the name then, there is nothing to publish."""
    version = staged(world)
    world.insert()
    version.rebase(version.look())
    for table in (None, with_snapshot(document("another"))):
        world.tables.drop_entry(TARGET)
        if table is not None:
            world.tables.put(TARGET, table)
        with pytest.raises(ConcurrentWriteError, match="branch that held the staged version"):
            version.rebase(version.look())
    assert version.discard(StepReport(TARGET)) == []


def test_an_abort_drops_the_branch(world: World) -> None:
    """And nothing else."""
    version = staged(world)
    main = world.tables.history(TARGET).main
    for _ in range(2):
        assert version.discard(StepReport(TARGET)) == []
    assert (branches(world), world.tables.history(TARGET).main) == (["main"], main)


def test_an_abandoned_branch_goes_when_it_is_old(world: World) -> None:
    """By its age alone; a branch of a user's is never dropped."""
    version = staged(world)
    world.tables.find(TARGET).begin_branch("ctas_audit", 1)
    assert world.clean_up().kept[version.id] is Reason.YOUNG
    world.wait(2 * ORPHAN_AGE_MS)
    what = [f"the branch ctas_{version.id} of {TARGET}"]
    assert world.clean_up(dry_run=True).freed == what
    assert world.clean_up().freed == what
    assert branches(world) == ["main", "ctas_audit"]
    with pytest.raises(StagedVersionGoneError):
        version.mark(version.look(), ISOLATED)


def test_a_branch_of_a_table_that_no_model_builds_is_found(world: World) -> None:
    """By its name, in the tables of the schema; a table with other branches alone is not."""
    version = staged(world)
    assert world.catalog.abandoned(CONTEXT, [TARGET]) == ()
    assert world.catalog.abandoned(CONTEXT, []) == (TARGET,)
    world.wait(2 * ORPHAN_AGE_MS)
    what = [f"the branch ctas_{version.id} of {TARGET}"]
    for dry_run in (True, False):
        assert len(branches(world)) == 2
        rules = RetentionRules()
        delete = world.catalog.begin_clean_up_abandoned(CONTEXT, rules, dry_run=dry_run)
        assert delete().freed == what
    world.tables.find(TARGET).begin_branch("ctas_audit", 1)
    assert world.catalog.abandoned(CONTEXT, []) == ()


@pytest.mark.parametrize("rivals", [0, 1, MOST_TRIES - 1])
def test_a_branch_is_created_whoever_commits_beside_it(rivals: int) -> None:
    """Iceberg refuses it over metadata that it has not read, and is asked again."""
    refusals = iter([EntryModifiedError("Table metadata refresh is required")] * rivals)
    made = []

    def create() -> None:
        if (refused := next(refusals, None)) is not None:
            raise refused
        made.append("a branch")

    change_branches(create)
    assert made == ["a branch"]


@pytest.mark.parametrize("error", [EntryModifiedError, MetastoreError])
def test_a_branch_that_cannot_be_created_is_an_error(error: type[MetastoreError]) -> None:
    """After a bound where others come first, and at once where the fate is not known."""
    tries = []

    def create() -> None:
        tries.append(1)
        raise error("no")

    with pytest.raises(error):
        change_branches(create)
    assert len(tries) == (MOST_TRIES if error is EntryModifiedError else 1)
