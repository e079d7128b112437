"""A rebuild that changes rows only, published by branch; and what keeps it from that."""

import json
from dataclasses import replace

import pytest

from ctas_spark.clock import ORPHAN_AGE_MS
from ctas_spark.context import (
    Atomicity,
    TableLayout,
)
from ctas_spark.errors import (
    AtomicityNotSupportedError,
    ConcurrentWriteError,
    StagedVersionGoneError,
    StagedVersionIncompleteError,
)
from ctas_spark.publish.marker import SnapshotMarker
from ctas_spark.publish.rollback import NoJob
from ctas_spark.publish.version import Outcome
from ctas_spark.retention.rules import Reason
from fakes.branches import FakeBranches
from fakes.branches_world import (
    CONTEXT,
    NEW,
    OLD,
    OTHER,
    PATH,
    RULES,
    branches,
    published,
    refuse,
    staged,
    staging,
)


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
    assert "is now at atomic: its columns differ" in caplog.text


@pytest.mark.parametrize("setting", ["spark.wap.id", "spark.wap.branch"])
def test_a_session_that_writes_elsewhere_replaces_nothing(
    catalog: FakeBranches, setting: str
) -> None:
    """Not a table in WAP mode: its rows would go elsewhere, before the job or since it began."""
    table = staged(catalog)
    catalog.shown[PATH]["write.wap.enabled"] = "true"
    catalog.answers.update(writes_elsewhere(setting))
    with pytest.raises(AtomicityNotSupportedError, match=f"the session sets {setting}"):
        staged(catalog, OTHER)
    catalog.shown[PATH]["write.wap.enabled"] = "false"
    assert published(catalog, OTHER).outcome is Outcome.COMMITTED
    with pytest.raises(ConcurrentWriteError):
        table.commit()


def writes_elsewhere(setting: str) -> dict[str, list[dict[str, str]]]:
    """What SET says of both settings."""
    names = ("spark.wap.id", "spark.wap.branch")
    return {
        f"SET `{name}`": [{"key": name, "value": "x" if name == setting else "<undefined>"}]
        for name in names
    }


def test_a_query_that_spark_refuses_is_left_to_its_job(catalog: FakeBranches) -> None:
    """The model fails with Spark's own error."""
    catalog.before = lambda one: refuse() if one.startswith("DESCRIBE QUERY") else None
    assert published(catalog).reach.strategy == "replace"


def test_a_level_by_name_is_kept_or_refused_before_the_job(catalog: FakeBranches) -> None:
    """By what the query changes."""
    context = replace(CONTEXT, atomicity=Atomicity.ISOLATED)
    assert published(catalog, NEW, context).level is Atomicity.ISOLATED
    with pytest.raises(AtomicityNotSupportedError, match="its columns differ"):
        staged(catalog, OTHER, context)
    assert (catalog.rows[PATH], branches(catalog)) == (NEW, [])


def test_a_job_that_wrote_nothing_is_not_published(catalog: FakeBranches) -> None:
    """The branch still ends where it began."""
    table = staging(catalog).plan(CONTEXT, NoJob()).begin()
    table.statement(NEW)
    with pytest.raises(StagedVersionIncompleteError, match="wrote nothing"):
        table.verify()


def test_a_staged_file_that_can_not_be_read_is_not_published(catalog: FakeBranches) -> None:
    """The job that opens the branch's files fails; an abort forgets the branch."""
    table = staged(catalog)
    catalog.before = lambda one: refuse() if "_spec_id AS spec" in one else None
    with pytest.raises(StagedVersionIncompleteError, match="could not read the files"):
        table.commit()
    table.abort("not whole")
    assert (catalog.rows[PATH], branches(catalog)) == (OLD, [])


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
