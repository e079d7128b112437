"""The record of a version: one value in one property, moved by compare-and-swap."""

import json
from dataclasses import replace

import pytest

from ctas_spark.context import TableName
from ctas_spark.errors import EntryMissingError, EntryModifiedError
from ctas_spark.files.record import (
    MOST_BASES,
    RECORD,
    Record,
    RecordedBase,
    move,
)
from ctas_spark.files.table import FileTable
from ctas_spark.metastore.client import TableEntry
from ctas_spark.publish.marker import (
    name_of_record,
    record_prefix,
    version_named,
)
from ctas_spark.steps import StepReport
from fakes.commits import commit
from fakes.metastore import FakeMetastore, entry
from fakes.world import CONTEXT, STAGING_SCHEMA, TARGET_NAME, World

VERSION = "20260101t000000x0123abcd"
NAME = name_of_record(STAGING_SCHEMA, TARGET_NAME, VERSION)
NEW = Record(str(TARGET_NAME), VERSION, "file:/w/root", (RecordedBase("absent", 5),))
OVER = RecordedBase(f"commit:{commit(1)}", 17, 9)


def kept(record: Record, name: TableName = NAME) -> TableEntry:
    """The record in its entry."""
    return entry(name, parameters={"team": "core", **record.to_parameters()})


def table_on(metastore: FakeMetastore, *, conditional: bool = True) -> FileTable:
    """The target; where the metastore does not compare, its one process has a lock."""
    world = World(single_process=True)
    metastore.compares = conditional
    world.metastore = metastore
    return FileTable(CONTEXT, world.catalog().services(STAGING_SCHEMA), StepReport(TARGET_NAME))


@pytest.fixture
def metastore() -> FakeMetastore:
    """It keeps one record."""
    found = FakeMetastore()
    found.tables[NAME] = kept(NEW)
    return found


@pytest.mark.parametrize(
    ("location", "root"),
    [
        (f"hdfs://new/w/ctas-spark/s1/shop.orders/{VERSION}", "hdfs://new/w"),
        (f"hdfs://old/w/ctas-spark/s1/shop.orders/{VERSION}", "hdfs://old/w"),
        (f"hdfs://new/w/ctas-spark/s2/shop.orders/{VERSION}", "hdfs://old/w"),
        ("hdfs://new/w/ctas-spark/s1/shop.orders/another", "hdfs://old/w"),
        ("file:/placeholder", "hdfs://old/w"),
        (None, "hdfs://old/w"),
    ],
)
def test_a_root_is_where_its_entry_has_moved(location: str | None, root: str) -> None:
    """Hive's metatool follows a renamed warehouse in the entry's location, and in no property."""
    record = replace(NEW, root="hdfs://old/w/ctas-spark/s1/shop.orders")
    found = Record.of(replace(kept(record), location=location))
    assert found is not None
    assert found.root == f"{root}/ctas-spark/s1/shop.orders"


def test_another_spelling_of_a_local_root_is_the_same_root() -> None:
    """Hive writes three slashes, and Spark one."""
    record = replace(NEW, root="file:/w/ctas-spark/s1/shop.orders")
    found = Record.of(replace(kept(record), location=f"file:///{record.directory[6:]}"))
    assert found is not None
    assert found.root == record.root


def read(metastore: FakeMetastore) -> Record:
    """The record as it is now."""
    found = Record.of(metastore.tables[NAME])
    assert found is not None
    return found


@pytest.mark.parametrize(
    "record",
    [
        NEW,
        NEW.over(OVER),
        replace(NEW, took_over="file:/w/orders", deleting_ms=3),
        replace(NEW, bases=(), target_gone_ms=0),
    ],
)
def test_a_record_survives_its_property(record: Record) -> None:
    """What is written is what is read, in one property that a compare-and-swap compares."""
    assert Record.of(kept(record)) == record
    assert set(record.to_parameters()) == {RECORD}
    assert record.directory == f"file:/w/root/{VERSION}"


def test_a_record_knows_its_entry_and_is_equal_without_it(metastore: FakeMetastore) -> None:
    """The entry is where it was read."""
    found = read(metastore)
    assert found.entry is metastore.tables[NAME]
    assert found == NEW


@pytest.mark.parametrize(
    "foreign",
    [
        None,
        entry(NAME),
        entry(NAME, parameters={RECORD: "nonsense"}),
        entry(NAME, parameters={RECORD: "[]"}),
        entry(NAME, parameters={RECORD: '{"target":"shop.orders"}'}),
        entry(
            NAME, parameters={RECORD: '{"target":"shop.orders","state":"staged","base":"absent"}'}
        ),
        kept(NEW, TableName(STAGING_SCHEMA, f"customers__{VERSION}")),
        kept(replace(NEW, version="20260101t000000xffffffff")),
        kept(replace(NEW, bases=(RecordedBase("commit:c1", 1, 1),))),
        kept(replace(NEW, version="v1"), name_of_record(STAGING_SCHEMA, TARGET_NAME, "v1")),
    ],
)
def test_a_record_that_does_not_match_its_own_name_is_foreign(foreign: TableEntry | None) -> None:
    """Nor is anything else in the staging schema one of ours."""
    assert Record.of(foreign) is None


def test_a_records_name_is_the_targets_and_the_version() -> None:
    """Cut to what a metastore holds."""
    assert TableName(STAGING_SCHEMA, f"orders__{VERSION}") == NAME
    assert version_named(NAME) == VERSION
    long = TableName("shop", "t" * 128)
    name = name_of_record(STAGING_SCHEMA, long, VERSION)
    assert len(name.table) == 120 + 2 + len(VERSION)
    assert name.table.startswith(record_prefix(long))
    assert version_named(name) == VERSION


def test_the_record_of_a_model_in_capital_letters_is_found_where_the_metastore_lists_it() -> None:
    """A metastore lists its names in small letters, whatever a model wrote."""
    capital = replace(NEW, target="shop.ORDERS")
    listed = TableName(STAGING_SCHEMA, f"orders__{VERSION}")
    assert Record.of(entry(listed, parameters=capital.to_parameters())) == capital


@pytest.mark.parametrize("conditional", [True, False])
def test_a_move_changes_the_record_alone(metastore: FakeMetastore, *, conditional: bool) -> None:
    """And the next move starts from what it returns."""
    again = read(metastore).over(OVER)
    moved = move(table_on(metastore, conditional=conditional), again, read(metastore))
    assert read(metastore) == again
    assert metastore.tables[NAME].parameters["team"] == "core"
    deleting = replace(moved, deleting_ms=1)
    move(table_on(metastore, conditional=conditional), deleting, moved)
    assert read(metastore).is_deleting


@pytest.mark.parametrize("conditional", [True, False])
def test_of_two_moves_from_one_record_one_is_refused(
    metastore: FakeMetastore, *, conditional: bool
) -> None:
    """A clean-up and a rollback can't both have it."""
    before = read(metastore)
    taken = replace(before, deleting_ms=1)
    move(table_on(metastore, conditional=conditional), taken, before)
    with pytest.raises(EntryModifiedError):
        move(table_on(metastore, conditional=conditional), before.over(OVER), before)
    assert read(metastore) == taken


@pytest.mark.parametrize("conditional", [True, False])
def test_a_record_that_is_gone_is_not_made_again(
    metastore: FakeMetastore, *, conditional: bool
) -> None:
    """The writer that deleted it has deleted the version."""
    before = read(metastore)
    metastore.drop_entry(NAME)
    with pytest.raises((EntryModifiedError, EntryMissingError)):
        move(table_on(metastore, conditional=conditional), before.over(OVER), before)
    assert NAME not in metastore.tables


def test_a_record_that_was_never_read_can_not_be_moved(metastore: FakeMetastore) -> None:
    """There is nothing to compare it with."""
    with pytest.raises(EntryModifiedError, match="has changed since it was read"):
        move(table_on(metastore), NEW, NEW)


@pytest.mark.parametrize("newer", [{"since": "a newer release"}, {"bases": "none"}])
def test_a_record_that_can_not_be_read_stops_nothing(newer: dict[str, str]) -> None:
    """Its name is that of another table's record, too: that one is cleaned up all the same."""
    found = json.loads(kept(NEW).parameters[RECORD])
    text = json.dumps({**found, **newer})
    assert Record.of(entry(NAME, parameters={RECORD: text})) is None


def test_a_record_is_compared_as_it_was_read(metastore: FakeMetastore) -> None:
    """However another release writes the same, in another order of its keys, say."""
    found = metastore.tables[NAME]
    parsed = json.loads(found.parameters[RECORD])
    text = json.dumps(dict(reversed(parsed.items())))
    metastore.tables[NAME] = replace(found, parameters={**found.parameters, RECORD: text})
    move(table_on(metastore), read(metastore).over(OVER), read(metastore))
    assert read(metastore).bases == (*NEW.bases, OVER)


def test_a_record_keeps_its_newest_bases() -> None:
    """A version that is rolled back to again and again still has a property of limited length."""
    record = NEW
    for order in range(1_000):
        record = record.over(RecordedBase(f"commit:{commit(order)}", 10**13, 10**13))
    assert len(record.bases) == MOST_BASES
    assert record.base == f"commit:{commit(999)}"
    assert len(record.to_parameters()[RECORD]) < 4_000
