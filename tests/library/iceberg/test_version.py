"""One attempt on an Iceberg table: what it writes to its fork, and what stops it."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, cast

import pytest

from ctas_spark.context import Atomicity, TableLayout, TableName
from ctas_spark.engines.protocol import WriteFigures
from ctas_spark.errors import (
    AtomicityNotSupportedError,
    ConcurrentWriteError,
    MetastoreError,
    NoSuchSchemaError,
    NoSuchVersionError,
    RefusedError,
    StagedVersionGoneError,
    StagedVersionIncompleteError,
)
from ctas_spark.iceberg.base import IcebergBase
from ctas_spark.iceberg.restore import IcebergRestoring
from ctas_spark.iceberg.version import IcebergVersion
from ctas_spark.publish.version import SweptError
from ctas_spark.steps import StepReport
from fakes.engine import FakeJob
from fakes.iceberg import document, with_snapshot
from fakes.iceberg_world import CONTEXT, TARGET, World, record, take

ISOLATED = Atomicity.ISOLATED
ABSENT = IcebergBase(None)


def test_a_fork_says_whose_it_is_and_what_it_expects(world: World) -> None:
    """From its beginning, without a change to the target."""
    before = world.tables.entries[TARGET]
    version = world.stage()
    found = record(world, version)
    base = str(IcebergBase(world.tables.find(TARGET)))
    assert (found["target"], found["version"]) == ("ice.db.t", version.id)
    assert (found["state"], found["base"]) == ("staged", base)
    assert world.tables.entries[TARGET] == before
    assert version.reach(version.look()).strategy == "swap"
    assert version.reach(ABSENT).strategy == "create"


def test_a_schema_that_does_not_exist_gets_no_staging_schema(empty: World) -> None:
    """The error says so before anything is made for a misspelt name."""
    empty.tables.missing_namespaces = {TARGET.database, "staging"}
    with pytest.raises(NoSuchSchemaError, match="schema db does not exist"):
        empty.catalog.plan(CONTEXT, FakeJob())
    assert cast("Any", empty.services.engine).statements == []


def test_nothing_can_lie_anywhere_before_it_is_staged(world: World) -> None:
    """An abort before that has nothing to remove."""
    version = IcebergVersion(CONTEXT, world.services, StepReport(TARGET))
    assert version.places == ""
    assert version.discard(StepReport(TARGET)) == []


def test_a_location_provider_is_refused(world: World) -> None:
    """It would not be known where the files are that an abort deletes."""
    layout = TableLayout("iceberg", properties={"write.location-provider.impl": "theirs"})
    context = replace(CONTEXT, layout=layout)
    version = IcebergVersion(context, world.services, StepReport(TARGET))
    with pytest.raises(AtomicityNotSupportedError, match="location-provider"):
        version.stage_on(version.look(), ISOLATED)
    assert list(world.tables.entries) == [TARGET]


GUARDS = {
    "gc.enabled": "true",
    "write.metadata.delete-after-commit.enabled": "true",
    "write.metadata.previous-versions-max": "10",
    "write.data.path": "s3://b",
    "write.metadata.path": "s3://b",
}


@pytest.mark.parametrize("key", GUARDS)
@pytest.mark.parametrize("begin", ["table-default.", "table-override."])
def test_a_catalog_that_undoes_what_keeps_a_fork_apart_is_refused(
    world: World, begin: str, key: str
) -> None:
    """Before anything is made; the error says what to remove, and where to set it instead."""
    world.tables.settings[begin + key] = GUARDS[key]
    with pytest.raises(AtomicityNotSupportedError) as refused:
        world.stage()
    assert f"remove spark.sql.catalog.ice.{begin}{key}" in refused.value.remedy
    assert list(world.tables.entries) == [TARGET]


def test_a_catalog_may_say_what_a_fork_says_anyway(world: World) -> None:
    """As servers do that look after metadata themselves."""
    key = "table-override.write.metadata.delete-after-commit.enabled"
    world.tables.settings[key] = "false"
    assert world.stage().id


@pytest.mark.parametrize("of", ["table", "model", "catalog"])
def test_an_encrypted_table_is_refused(world: World, of: str) -> None:
    """Its keys are kept apart from its files, and a fork's are not among them."""
    own = {"encryption.key-id": "k"}
    context = CONTEXT
    if of == "table":
        world.tables.put(TARGET, with_snapshot(document(properties=own)))
    elif of == "model":
        context = replace(CONTEXT, layout=TableLayout("iceberg", properties=own))
    else:
        world.tables.settings["table-default.encryption.key-id"] = "k"
    version = IcebergVersion(context, world.services, StepReport(TARGET))
    with pytest.raises(AtomicityNotSupportedError, match=r"encryption\.key-id is k"):
        version.stage_on(version.look(), ISOLATED)
    assert list(world.tables.entries) == [TARGET]


def test_a_rollback_of_an_encrypted_table_is_refused(world: World) -> None:
    """It publishes a snapshot of its own, like a build by branch."""
    first = published(world)
    published(world)
    world.tables.find(TARGET).with_properties({"encryption.key-id": "k"})
    attempt = IcebergRestoring(CONTEXT, world.services).restored(
        first.id, ISOLATED, StepReport(TARGET)
    )
    with pytest.raises(AtomicityNotSupportedError, match=r"encryption\.key-id is k"):
        attempt.stage_on(attempt.look(), ISOLATED)
    assert list(world.tables.history(TARGET).branches) == ["main"]


@pytest.mark.parametrize(
    ("given", "instead"),
    [
        ({"default-sort-order-id": 1}, "write ORDER BY"),
        ({"schemas": [{"schema-id": 0, "identifier-field-ids": [1]}]}, "DROP IDENTIFIER FIELDS"),
    ],
    ids=["sort order", "identifier fields"],
)
def test_what_a_replace_would_drop_is_refused(
    world: World, given: dict[str, Any], instead: str
) -> None:
    """With what to write instead; a rollback, which brings its version's own, goes on."""
    world.tables.put(TARGET, with_snapshot(document(**given)))
    with pytest.raises(AtomicityNotSupportedError) as refused:
        world.stage()
    assert instead in refused.value.remedy
    assert list(world.tables.entries) == [TARGET]
    restored = IcebergRestoring(CONTEXT, world.services).restored("v", ISOLATED, StepReport(TARGET))
    with pytest.raises(NoSuchVersionError):
        restored.stage_on(restored.look(), ISOLATED)


def test_a_fork_that_was_made_unsafe_is_not_committed_to(world: World) -> None:
    """Whoever changed its properties: the next commit could delete the target's files."""
    version = world.stage()
    world.tables.find(version.record).with_properties({"gc.enabled": "true"})
    before = len(world.tables.files)
    with pytest.raises(AtomicityNotSupportedError, match=r"gc\.enabled"):
        version.check_staged(WriteFigures())
    with pytest.raises(AtomicityNotSupportedError):
        version.mark(version.look(), ISOLATED)
    assert len(world.tables.files) == before


@pytest.mark.parametrize("exists", [True, False])
def test_a_fork_that_the_catalog_makes_unsafe_gets_no_ctas(world: World, *, exists: bool) -> None:
    """What was made is read back; only its entry goes."""

    def undo(_: str, name: TableName) -> None:
        if name.database == CONTEXT.staging_schema:
            made, file = world.tables.entries[name]
            undone = {**made, "properties": {**made["properties"], "gc.enabled": "true"}}
            world.tables.entries[name] = undone, file

    world.tables.after = undo
    if not exists:
        del world.tables.entries[TARGET]
    before = list(world.tables.entries)
    version = IcebergVersion(CONTEXT, world.services, StepReport(TARGET), forks_at_once=True)
    with pytest.raises(AtomicityNotSupportedError, match="lacks the properties"):
        version.stage_on(version.look(), ISOLATED)
    assert version.discard(StepReport(TARGET)) == []
    assert list(world.tables.entries) == before


def test_a_failure_before_the_call_is_a_refusal(world: World) -> None:
    """Nothing was asked of the catalog, so the outcome is known."""
    version = world.stage()
    version.mark(ABSENT, ISOLATED)
    world.tables.unreadable[version.record] = MetastoreError("no answer")
    with pytest.raises(RefusedError, match="no answer"):
        version.publish(ABSENT)


def test_what_was_staged_is_what_iceberg_counted(world: World) -> None:
    """Of its own snapshot; an earlier count of the engine's does not matter."""
    version = world.stage()
    assert version.check_staged(WriteFigures(rows=7)) == WriteFigures(rows=2, files=1, bytes=4)


def test_a_version_that_is_not_whole_is_not_published(world: World) -> None:
    """A file that is missing, or shorter than counted; or a job that wrote nothing."""
    version = world.stage()
    world.storage.write(world.file_of(version), "ro")
    with pytest.raises(StagedVersionIncompleteError, match="1 of its 1 files"):
        version.check_staged(WriteFigures())
    world.storage.delete(world.file_of(version))
    with pytest.raises(StagedVersionIncompleteError, match="0 of its 1 files"):
        version.check_staged(WriteFigures())
    idle = IcebergVersion(CONTEXT, world.services, StepReport(TARGET), forks_at_once=True)
    idle.stage_on(idle.look(), ISOLATED)
    with pytest.raises(StagedVersionIncompleteError, match="wrote nothing"):
        idle.check_staged(WriteFigures())


def test_a_fork_that_is_gone_is_an_error(world: World) -> None:
    """Nothing can be published without it."""
    version = world.stage()
    world.tables.drop_entry(version.record)
    with pytest.raises(StagedVersionGoneError):
        version.check_staged(WriteFigures())
    with pytest.raises(SweptError):
        version.publish(ABSENT)


def test_another_base_is_written_down_before_the_call(world: World) -> None:
    """A clean-up compares the target with it."""
    version = world.stage()
    world.insert()
    now = version.look()
    version.rebase(now)
    assert record(world, version)["base"] == str(now)
    world.insert()
    version.mark(version.look(), ISOLATED)
    assert record(world, version)["base"] == str(version.look())


@pytest.mark.parametrize(
    "go_on",
    [
        lambda version: version.rebase(version.look()),
        lambda version: version.mark(version.look(), ISOLATED),
        lambda version: version.mark(ABSENT, ISOLATED),
    ],
    ids=["rebase", "mark", "mark of a creation"],
)
def test_a_version_that_was_taken_goes_no_further(
    world: World, go_on: Callable[[IcebergVersion], object]
) -> None:
    """Its writer reads the record after each write to it."""
    version = world.stage()
    take(world, version)
    with pytest.raises(ConcurrentWriteError, match="a clean-up deleted"):
        go_on(version)
    with pytest.raises(SweptError):
        version.publish(ABSENT)


def test_a_version_that_is_taken_right_after_its_attempt_goes_no_further(world: World) -> None:
    """The clean-up may have read the fork before the attempt was on it."""
    version = world.stage()

    def taking(_: str, name: TableName) -> None:
        if name == version.record:
            world.tables.after = lambda *_: None
            take(world, version)

    world.tables.after = taking
    with pytest.raises(ConcurrentWriteError, match="a clean-up deleted"):
        version.mark(version.look(), ISOLATED)


def test_an_abort_removes_the_version_unless_it_was_published(world: World) -> None:
    """Then its files are the target's."""
    aborted, published = world.stage(), world.stage()
    published.mark(published.look(), ISOLATED)
    world.land(published)
    for version in (aborted, published):
        assert version.discard(StepReport(TARGET)) == []
        assert version.record not in world.tables.entries
    assert world.file_of(aborted) not in world.storage.texts
    assert world.file_of(published) in world.storage.texts


def test_an_abort_that_can_not_read_the_target_deletes_nothing(world: World) -> None:
    """It says what is left."""
    version = world.stage()
    world.tables.unreadable[TARGET] = MetastoreError("no answer")
    (left,) = version.discard(StepReport(TARGET))
    assert str(version.record) in left
    assert world.is_whole(version)


def published(world: World) -> IcebergVersion:
    """A version that is live."""
    version = world.stage()
    version.mark(version.look(), ISOLATED)
    world.land(version)
    version.settle(StepReport(TARGET))
    return version


def test_the_way_back_is_to_what_iceberg_still_has(world: World) -> None:
    """Newest first, without the live version."""
    first, second = published(world), published(world)
    published(world)
    restoring = IcebergRestoring(CONTEXT, world.services)
    assert restoring.earlier() == (second.id, first.id)
    attempt = restoring.restored("expired", ISOLATED, StepReport(TARGET))
    with pytest.raises(NoSuchVersionError, match="expired"):
        attempt.stage_on(attempt.look(), ISOLATED)
