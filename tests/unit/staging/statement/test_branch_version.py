"""A rebuild that changes rows only, published by branch; and what keeps it from that."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from pyspark.errors import AnalysisException, PySparkException

from dbt.adapters.ctas_spark.staging.catalogs.kinds import HADOOP
from dbt.adapters.ctas_spark.staging.context import (
    Atomicity,
    OnConflict,
    StagingContext,
    TableLayout,
    TableName,
)
from dbt.adapters.ctas_spark.staging.errors import (
    AtomicityNotSupportedError,
    CommitStateUnknownError,
    ConcurrentWriteError,
    StagedVersionGoneError,
    StagedVersionIncompleteError,
)
from dbt.adapters.ctas_spark.staging.iceberg.publications import SnapshotMarker
from dbt.adapters.ctas_spark.staging.publish.staged_table import StagedTable
from dbt.adapters.ctas_spark.staging.publish.version import Outcome
from dbt.adapters.ctas_spark.staging.retention.rollback import NoJob
from dbt.adapters.ctas_spark.staging.retention.rules import ORPHAN_AGE_MS, Reason, RetentionRules
from dbt.adapters.ctas_spark.staging.statement.catalog import StatementCatalog
from fakes.branches import FakeBranches
from fakes.sql_catalog import tables_of

TARGET = TableName("shop", "t", "ice")
PATH = "`ice`.`shop`.`t`"
CONTEXT = StagingContext(TARGET, "stg", layout=TableLayout(format_given=False))
OVERWRITE = replace(CONTEXT, on_conflict=OnConflict.OVERWRITE)
OLD, NEW, OTHER = "SELECT 1 AS id", "SELECT 2 AS id", "SELECT 3 AS another"
LOST = PySparkException("no answer")
RULES = RetentionRules()


@pytest.fixture
def catalog() -> FakeBranches:
    """A catalog with the target, which was created by this adapter."""
    found = FakeBranches()
    published(found, OLD)
    return found


def staging(catalog: FakeBranches) -> StatementCatalog:
    """The kind on the fake."""
    return StatementCatalog(tables_of(catalog), HADOOP, has_branches=True)


def staged(
    catalog: FakeBranches, query: str = NEW, context: StagingContext = CONTEXT
) -> StagedTable[Any]:
    """A table that was filled and verified."""
    table = staging(catalog).plan(context, NoJob()).begin()
    catalog.ask(table.statement(query))
    table.verify()
    return table


def published(
    catalog: FakeBranches, query: str = NEW, context: StagingContext = CONTEXT
) -> StagedTable[Any]:
    """A table that was committed."""
    table = staged(catalog, query, context)
    table.commit()
    table.settle()
    return table


def branches(catalog: FakeBranches) -> list[str]:
    """Those of the target, main apart."""
    return [name for name in catalog.histories[PATH].refs if name != "main"]


def at_the_call(catalog: FakeBranches, action: Callable[[], object]) -> None:
    """Do something once, directly before the call that publishes."""

    def told(statement: str) -> None:
        if statement.startswith("CALL"):
            catalog.before = lambda _: None
            action()

    catalog.before = told


def know_until_refreshed(catalog: FakeBranches, error: str) -> None:
    """What a session's cache does with a table that is gone, and what reading it says then."""
    catalog.answers["REFRESH TABLE"] = []

    def told(statement: str) -> None:
        if statement.startswith("SELECT 'branch'"):
            catalog.answers.pop("REFRESH TABLE", None)
            raise refusal(error)

    catalog.before = told


def refusal(name: str) -> AnalysisException:
    """An error of Spark's analysis by that name."""
    return AnalysisException(f"[{name}] no", errorClass=name, messageParameters={})


def fail() -> None:
    """The answer is lost."""
    raise LOST


def refuse() -> None:
    """Spark does not understand it."""
    raise AnalysisException("no such column")


def test_rows_alone_are_published_by_branch(catalog: FakeBranches) -> None:
    """It is isolated; nothing is staged in the staging schema, and no branch is left."""
    table = published(catalog)
    assert (table.level, table.reach.strategy) == (Atomicity.ISOLATED, "fast_forward")
    assert (table.reach.conflict_check, table.figures.rows) == ("cas", 2)
    assert (catalog.rows[PATH], list(catalog.shown), branches(catalog)) == (NEW, [PATH], [])


def test_the_target_shows_nothing_before_the_commit(catalog: FakeBranches) -> None:
    """What is staged is read by the branch's name; an abort forgets the branch."""
    table = staged(catalog)
    assert table.verify().parts == ("ice", "shop", "t", f"branch_ctas_{table.version}")
    assert (catalog.rows[PATH], branches(catalog)) == (OLD, [f"ctas_{table.version}"])
    table.abort("checks failed")
    assert (catalog.rows[PATH], branches(catalog), table.left_behind) == (OLD, [], [])


def test_its_marker_is_read_by_sessions_with_a_jvm(catalog: FakeBranches) -> None:
    """It is the whole marker of Iceberg's own kind, in the summary of main's snapshot."""
    table = published(catalog)
    history = catalog.histories[PATH]
    marker = SnapshotMarker.of(json.loads(history.snapshots[history.refs["main"]]["summary"]))
    assert marker is not None
    assert (marker.version, marker.fork, marker.spec_id) == (table.version, table.version, 4)
    assert (marker.target, marker.level) == ("ice.shop.t", "isolated")


@pytest.mark.parametrize(
    ("layout", "query"),
    [
        (TableLayout(format_given=False), OTHER),
        (TableLayout(format_given=False, partition_by=("id",)), NEW),
        (TableLayout(format_given=False, properties={"mine": "yes"}), NEW),
        (TableLayout(format_given=False, comment="new"), NEW),
        (TableLayout(format_given=False, column_comments={"id": "new"}), NEW),
    ],
    ids=["columns", "partitions", "properties", "comment", "column comments"],
)
def test_more_than_rows_is_published_by_a_copy(
    catalog: FakeBranches, layout: TableLayout, query: str
) -> None:
    """It is atomic, says so where it was isolated, and is refused by name before any job."""
    published(catalog)
    table = published(catalog, query, replace(CONTEXT, layout=layout))
    assert (table.level, table.reach.strategy) == (Atomicity.ATOMIC, "replace")
    assert (table.reach.conflict_check, branches(catalog)) == ("none", [])
    isolated = replace(CONTEXT, layout=layout, atomicity=Atomicity.ISOLATED)
    more = replace(isolated, layout=replace(layout, properties={"mine": "more"}))
    before = len(catalog.statements)
    with pytest.raises(AtomicityNotSupportedError, match="isolated can't be kept"):
        staged(catalog, query, more)
    assert not any("AS\n" in one for one in catalog.statements[before:])


def test_what_changes_less_than_before_is_said(
    catalog: FakeBranches, caplog: pytest.LogCaptureFixture
) -> None:
    """With what the rebuild changes."""
    published(catalog)
    published(catalog, OTHER)
    assert "is now at atomic: its columns are others" in caplog.text


def test_a_query_that_spark_refuses_is_left_to_its_job(catalog: FakeBranches) -> None:
    """The model fails with Spark's own error."""
    catalog.before = lambda one: refuse() if one.startswith("DESCRIBE QUERY") else None
    assert published(catalog).reach.strategy == "replace"


def test_a_level_by_name_is_kept_or_refused_before_the_job(catalog: FakeBranches) -> None:
    """By what the query changes."""
    context = replace(CONTEXT, atomicity=Atomicity.ISOLATED)
    assert published(catalog, NEW, context).level is Atomicity.ISOLATED
    with pytest.raises(AtomicityNotSupportedError, match="its columns are others"):
        staged(catalog, OTHER, context)
    assert (catalog.rows[PATH], branches(catalog)) == (NEW, [])


@pytest.mark.parametrize("at_once", [False, True])
def test_a_rivals_rows_are_kept(catalog: FakeBranches, at_once: bool) -> None:  # noqa: FBT001 (a case)
    """Also those of one that commits between our last look and the call."""
    table = staged(catalog)
    if at_once:
        at_the_call(catalog, lambda: catalog.insert(PATH))
    else:
        catalog.insert(PATH)
    with pytest.raises(ConcurrentWriteError, match="a writer without our marker committed"):
        table.commit()
    table.abort("refused")
    assert (catalog.rows[PATH], branches(catalog)) == ("SELECT 3 AS theirs", [])


def test_a_rival_run_is_named(catalog: FakeBranches) -> None:
    """The version that came first."""
    table = staged(catalog)
    other = published(catalog, "SELECT 9 AS id")
    with pytest.raises(ConcurrentWriteError, match=f"version {other.version} was committed at"):
        table.commit()


@pytest.mark.parametrize("at_once", [False, True])
def test_a_rivals_rows_are_replaced_by_name_only(catalog: FakeBranches, at_once: bool) -> None:  # noqa: FBT001 (a case)
    """What was staged is copied to a branch of theirs, and published by the same call."""
    table = staged(catalog, NEW, OVERWRITE)
    if at_once:
        at_the_call(catalog, lambda: catalog.insert(PATH))
    else:
        catalog.insert(PATH)
    table.commit()
    table.settle()
    assert (table.outcome, catalog.rows[PATH], branches(catalog)) == (Outcome.COMMITTED, NEW, [])


def test_a_compaction_in_between_is_no_conflict(catalog: FakeBranches) -> None:
    """Main has another snapshot of the same rows."""
    table = staged(catalog)
    catalog.insert(PATH, OLD, "replace")
    table.commit()
    assert (table.outcome, catalog.rows[PATH]) == (Outcome.COMMITTED, NEW)


@pytest.mark.parametrize("context", [CONTEXT, OVERWRITE])
def test_another_shape_is_never_overwritten(catalog: FakeBranches, context: StagingContext) -> None:
    """A branch has its table's columns: it can't bring back those that it was staged with."""
    table = staged(catalog, NEW, context)
    catalog.shown[PATH]["theirs"] = "yes"
    with pytest.raises(ConcurrentWriteError, match="changed its columns or properties"):
        table.commit()
    table.abort("refused")
    assert (catalog.rows[PATH], branches(catalog)) == (OLD, [])


@pytest.mark.parametrize("error", ["", "TABLE_OR_VIEW_NOT_FOUND", "REQUIRES_SINGLE_PART_NAMESPACE"])
def test_a_drop_takes_what_was_staged(catalog: FakeBranches, error: str) -> None:
    """The model fails and says so; nothing is created.

    A session's cache may know the table until it has been refreshed once.
    """
    table = staged(catalog)
    catalog.drop(PATH)
    if error:
        know_until_refreshed(catalog, error)
    with pytest.raises(ConcurrentWriteError, match=r"it was dropped; .* is gone"):
        table.commit()
    table.abort("gone")
    assert (list(catalog.shown), table.left_behind) == ([], [])


@pytest.mark.parametrize("context", [CONTEXT, OVERWRITE])
def test_a_drop_and_create_takes_what_was_staged(
    catalog: FakeBranches, context: StagingContext
) -> None:
    """The other's table stays."""
    table = staged(catalog, NEW, context)
    catalog.drop(PATH)
    catalog.clock.pass_ms(1)
    catalog.write(PATH, "SELECT 8 AS id", {})
    catalog.insert(PATH, "SELECT 8 AS id")
    with pytest.raises(ConcurrentWriteError):
        table.commit()
    assert catalog.rows[PATH] == "SELECT 8 AS id"


def test_a_job_that_wrote_nothing_is_not_published(catalog: FakeBranches) -> None:
    """The branch still ends where it began."""
    table = staging(catalog).plan(CONTEXT, NoJob()).begin()
    table.statement(NEW)
    with pytest.raises(StagedVersionIncompleteError, match="left nothing"):
        table.verify()


def test_a_lost_answer_is_judged_by_what_main_shows(catalog: FakeBranches) -> None:
    """Published if main shows it, else not known: the call may still be under way."""
    table = staged(catalog)
    catalog.after = lambda statement: fail() if statement.startswith("CALL") else None
    table.commit()
    assert table.outcome is Outcome.COMMITTED
    catalog.after = lambda _: None
    table = staged(catalog, "SELECT 5 AS id")
    at_the_call(catalog, fail)
    with pytest.raises(CommitStateUnknownError):
        table.commit()
    assert table.outcome is Outcome.UNKNOWN
    assert f"ctas_{table.version}" in branches(catalog)


def test_a_lost_answer_before_a_rival_was_refused(catalog: FakeBranches) -> None:
    """Main has left the base: whatever is still under way can't land."""
    table = staged(catalog)

    def rival() -> None:
        catalog.insert(PATH)
        fail()

    at_the_call(catalog, rival)
    with pytest.raises(ConcurrentWriteError):
        table.commit()


def test_an_abandoned_branch_goes_when_it_is_old(catalog: FakeBranches) -> None:
    """By its last write; a writer that is alive all the same publishes nothing."""
    table = staged(catalog)
    young = staging(catalog).clean_up(CONTEXT, RULES)
    assert (young.freed, young.kept) == ([], {table.version: Reason.YOUNG})
    catalog.clock.pass_ms(ORPHAN_AGE_MS)
    assert staging(catalog).clean_up(CONTEXT, RULES, dry_run=True).freed
    assert branches(catalog) == [f"ctas_{table.version}"]
    done = staging(catalog).clean_up(CONTEXT, RULES)
    assert done.freed == [f"the branch ctas_{table.version} of ice.shop.t"]
    with pytest.raises(StagedVersionGoneError):
        table.commit()
    assert (catalog.rows[PATH], branches(catalog)) == (OLD, [])


def test_a_branch_of_a_users_is_never_dropped(catalog: FakeBranches) -> None:
    """Only names that a version has."""
    catalog.histories[PATH].refs["ctas_audit"] = 100
    catalog.clock.pass_ms(ORPHAN_AGE_MS)
    assert staging(catalog).clean_up(CONTEXT, RULES).freed == []
    assert branches(catalog) == ["ctas_audit"]


def test_history_tells_of_branches_and_copies(catalog: FakeBranches) -> None:
    """Newest first; the last one is what the table shows, as far as is known."""
    versions = []
    for query in (NEW, OTHER, "SELECT 4 AS another"):
        catalog.clock.pass_ms(1)
        versions.append(published(catalog, query).version)
    events = staging(catalog).history(CONTEXT)
    assert [one.version for one in events][:3] == versions[::-1]
    assert [one.state for one in events] == ["last published", "deleted", "kept", "deleted"]
