"""A new Iceberg table is registered, or taken back where a clean-up took its version."""

from dataclasses import replace

import pytest

from ctas_spark.context import Atomicity, TableLayout, TableName
from ctas_spark.errors import (
    CommitStateUnknownError,
    MetastoreError,
    RefusedError,
)
from ctas_spark.iceberg.base import IcebergBase
from ctas_spark.iceberg.loaded import FilesGoneError
from ctas_spark.iceberg.version import IcebergVersion
from ctas_spark.publish.version import Outcome, SweptError
from ctas_spark.retention.rules import RetentionRules
from ctas_spark.steps import StepReport
from fakes.iceberg import document, with_snapshot
from fakes.iceberg_world import CONTEXT, TARGET, World, take

ISOLATED = Atomicity.ISOLATED
AT_ONCE = RetentionRules(orphan_age_ms=0)
ABSENT = IcebergBase(None)


def created(world: World) -> tuple[IcebergVersion, str]:
    """A staged creation, marked."""
    version = world.stage()
    return version, version.mark(version.look(), ISOLATED)


def test_a_creation_registers_the_staged_snapshots(empty: World) -> None:
    """Under the target's name, without what kept the fork apart."""
    version, commit = created(empty)
    version.publish(ABSENT)
    found = version.look()
    assert (found.version, found.commit) == (version.id, commit)
    assert empty.tables.entries[TARGET][0]["properties"] == {}
    assert version.decide(ABSENT, found, commit, None) is Outcome.COMMITTED
    assert version.settle(StepReport(TARGET)) == []
    assert list(empty.tables.entries) == [TARGET]


def test_the_view_of_a_clone_makes_way_when_the_table_is_there(empty: World) -> None:
    """Until then readers find it, whatever becomes of the model's job."""
    empty.tables.views[TARGET] = True
    version, _ = created(empty)
    seen = version.look()
    assert not seen.exists
    assert empty.tables.views == {TARGET: True}
    version.publish(seen)
    assert empty.tables.views == {}
    assert version.look().version == version.id
    assert empty.tables.entries[TARGET][0]["location"] == f"w/{TARGET.table}"


def test_any_other_view_stays(empty: World) -> None:
    """It may be all that knows its query."""
    empty.tables.views[TARGET] = False
    version = IcebergVersion(CONTEXT, empty.services, StepReport(TARGET))
    assert version.look().obstacle == "a view"


def test_a_view_that_can_not_be_dropped_stays_and_no_table_is_made(
    empty: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The attempt has not committed, and everybody knows that."""
    empty.tables.views[TARGET] = True
    version, _ = created(empty)

    def drop(name: TableName) -> None:
        raise MetastoreError(f"the metastore is down: {name}")

    monkeypatch.setattr(empty.tables, "drop_view", drop)
    with pytest.raises(RefusedError, match="the metastore is down"):
        version.publish(version.look())
    assert empty.tables.views == {TARGET: True}
    assert TARGET not in empty.tables.entries


def test_tables_of_two_schemas_have_two_places_below_one_root(empty: World) -> None:
    """Their data and metadata never lie in one directory."""
    layout = TableLayout("iceberg", location_root="s3://b/root/")
    places = []
    for schema in ("one", "two"):
        context = replace(CONTEXT, target=TableName(schema, "t", "ice"), layout=layout)
        version = IcebergVersion(context, empty.services, StepReport(context.target))
        version.stage_on(version.look(), ISOLATED)
        places.append(empty.tables.entries[version.record][0]["location"])
    assert places == ["s3://b/root/one/t", "s3://b/root/two/t"]


def test_a_new_table_has_what_the_catalog_gives_it(empty: World) -> None:
    """Nessie turns Iceberg's garbage collection off; a fork does so for a reason of its own."""
    empty.tables.settings["table-default.gc.enabled"] = "false"
    version, _ = created(empty)
    version.publish(ABSENT)
    published, _ = empty.tables.entries[TARGET]
    assert published["properties"] == {"gc.enabled": "false"}


def test_a_creation_that_was_swept_takes_its_entry_back(empty: World) -> None:
    """A clean-up of everything comes between its check and its call."""
    version, _ = created(empty)

    def sweeping(call: str, name: TableName) -> None:
        if (call, name) == ("register", TARGET):
            empty.tables.after = lambda *_: None
            entry = empty.tables.entries.pop(TARGET)
            assert empty.clean_up(AT_ONCE).freed == [f"w/t/data/{version.id}"]
            empty.tables.entries[TARGET] = entry

    empty.tables.after = sweeping
    with pytest.raises(SweptError):
        version.publish(ABSENT)
    assert empty.tables.entries == {}


def test_a_swept_creation_is_taken_back_though_its_metadata_is_gone(empty: World) -> None:
    """The clean-up has deleted the file that the entry names, and it is named after the commit."""
    version, commit = created(empty)
    gone = FilesGoneError(f"could not read w/t/metadata/00000-{commit}.metadata.json")

    def sweeping(call: str, name: TableName) -> None:
        if (call, name) == ("register", TARGET):
            take(empty, version)
            empty.tables.unreadable[TARGET] = gone

    empty.tables.after = sweeping
    with pytest.raises(SweptError):
        version.publish(ABSENT)
    assert TARGET not in empty.tables.entries


def test_a_creation_whose_files_are_going_is_taken_back(empty: World) -> None:
    """The clean-up is between the files and the record, whose metadata is gone by now."""
    version, _ = created(empty)

    def sweeping(call: str, name: TableName) -> None:
        if (call, name) == ("register", TARGET):
            empty.tables.unreadable[version.record] = FilesGoneError("its metadata is gone")

    empty.tables.after = sweeping
    with pytest.raises(SweptError):
        version.publish(ABSENT)
    assert TARGET not in empty.tables.entries


def test_a_swept_creation_that_another_has_written_to_is_left(empty: World) -> None:
    """It is not ours alone to drop: the model fails, and says that it does not know."""
    version, _ = created(empty)

    def sweeping(call: str, name: TableName) -> None:
        if (call, name) == ("register", TARGET):
            empty.tables.after = lambda *_: None
            take(empty, version)
            empty.insert()

    empty.tables.after = sweeping
    with pytest.raises(CommitStateUnknownError, match="another writer has changed"):
        version.publish(ABSENT)
    assert TARGET in empty.tables.entries


def test_a_rivals_table_is_given_its_name_back(empty: World) -> None:
    """It came between the last look and the withdrawal: nothing of a rival's is dropped."""
    version, _ = created(empty)
    theirs = with_snapshot(document("theirs", "w/theirs"))

    def sweeping(call: str, name: TableName) -> None:
        if (call, name) == ("register", TARGET):
            take(empty, version)
        elif (call, name) == ("rename", TARGET):
            aside = next(one for one in empty.tables.entries if one.table.endswith("_withdrawn"))
            empty.tables.entries[aside] = (theirs, "theirs.json")
            empty.tables.after = lambda *_: None

    empty.tables.after = sweeping
    with pytest.raises(CommitStateUnknownError, match="another writer has changed"):
        version.publish(ABSENT)
    assert empty.tables.entries[TARGET][0] == theirs


def test_a_creation_whose_answer_was_lost_looks_at_its_record_too(empty: World) -> None:
    """The entry may be there; it is taken back, and the outcome stays unknown."""
    version, _ = created(empty)

    def losing(call: str, name: TableName) -> None:
        if (call, name) == ("register", TARGET):
            empty.tables.after = lambda *_: None
            take(empty, version)
            raise MetastoreError("lost")

    empty.tables.after = losing
    with pytest.raises(MetastoreError, match="lost"):
        version.publish(ABSENT)
    assert TARGET not in empty.tables.entries
