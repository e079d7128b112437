"""What every client promises of partitions, the fake included."""

from dataclasses import replace

import pytest

from contract_clients.places import KEYS, Place, unused
from contract_clients.server_place import ServerPlace
from ctas_spark.context import TableName
from ctas_spark.errors import EntryMissingError, RefusedError
from ctas_spark.metastore import messages
from ctas_spark.metastore.client import EntryChange, Partition, TableEntry

PLAIN, OTHER = ("2026-11-21", "at"), ("2026-11-22", "de")
ODD = (
    ("__HIVE_DEFAULT_PARTITION__", "a null"),
    ("a b", "  spaces "),
    ("größer", "日本 😀"),
    ("a/b", "/c//d/"),
    ("k=v", "100%"),
    ("%2F", "a%3Db"),
    ('it\'s "so"', "back\\slash"),
    ("x{y}^[z]", "?#*:;<>|&~"),
    ("UPPER", "lower"),
    ("two\nlines", "a\ttab"),
)


def kept(place: Place, name: TableName) -> dict[tuple[str, ...], str]:
    """Locations by values."""
    return {one.values: one.location for one in place.client.partitions(name)}


def publication(name: TableName, staged: TableEntry, base: TableEntry) -> EntryChange:
    """The entry as it is, with a parameter more."""
    return EntryChange(name, staged, base, {**staged.parameters, "commit": "c2"})


def test_partitions_are_listed(place: Place) -> None:
    """A table's partitions are its values with a location below the table's."""
    made = place.partitioned(PLAIN, OTHER)
    found = kept(place, made.name)
    assert found == {PLAIN: f"{made.location}/0", OTHER: f"{made.location}/1"}


def test_a_table_may_have_no_partitions(place: Place) -> None:
    """A partitioned table without partitions, and a plain one, have none."""
    for made in (place.partitioned(), place.new()):
        assert place.client.partitions(made.name) == ()


@pytest.mark.parametrize("values", ODD)
def test_values_are_kept_to_the_letter(place: Place, values: tuple[str, ...]) -> None:
    """Any value is listed as it is, can be added to another table, and dropped there alone."""
    staged, target = place.partitioned(values, PLAIN), place.partitioned()
    partitions = place.client.partitions(staged.name)
    place.client.add_partitions(target, partitions)
    assert kept(place, target.name) == kept(place, staged.name)
    odd = tuple(one for one in partitions if one.values == values)
    place.client.drop_partitions(target.name, odd)
    assert set(kept(place, target.name)) == {PLAIN}
    assert set(kept(place, staged.name)) == {PLAIN, values}


def test_partitions_are_added_once(place: Place) -> None:
    """Adding again changes nothing; what is there stays as it is, what is missing comes."""
    staged, target = place.partitioned(PLAIN, OTHER), place.partitioned(PLAIN)
    before = kept(place, target.name)
    for _ in range(2):
        place.client.add_partitions(target, place.client.partitions(staged.name))
    after = kept(place, target.name)
    assert after[PLAIN] == before[PLAIN]
    assert after[OTHER] == f"{staged.location}/1"


def test_partitions_are_added_across_databases(place: Place) -> None:
    """A staged table's partitions can be added to a table of another database."""
    staged, template = place.partitioned(PLAIN), place.partitioned()
    target = TableName(place.other_database, unused(place).table)
    place.client.create_table(EntryChange(target, template, None, {}))
    place.client.add_partitions(
        replace(template, name=target), place.client.partitions(staged.name)
    )
    assert kept(place, target) == kept(place, staged.name)


def test_nothing_is_added_or_dropped(place: Place) -> None:
    """No partitions are no error."""
    made = place.partitioned(PLAIN)
    place.client.add_partitions(made, ())
    place.client.alter_partitions(made, ())
    place.client.drop_partitions(made.name, ())
    assert set(kept(place, made.name)) == {PLAIN}


def test_partitions_are_dropped_once(place: Place) -> None:
    """Dropping what is not there any more is no error, and takes nothing else along."""
    made = place.partitioned(PLAIN, OTHER)
    dropped = tuple(one for one in place.client.partitions(made.name) if one.values == PLAIN)
    for _ in range(2):
        place.client.drop_partitions(made.name, dropped)
    assert set(kept(place, made.name)) == {OTHER}


def test_a_missing_table_has_no_partitions_to_speak_of(place: Place) -> None:
    """Listing, adding or dropping partitions of a missing table is EntryMissingError."""
    made = place.partitioned(PLAIN)
    partitions = place.client.partitions(made.name)
    missing = unused(place)
    with pytest.raises(EntryMissingError):
        place.client.partitions(missing)
    with pytest.raises(EntryMissingError):
        place.client.add_partitions(replace(made, name=missing), partitions)
    with pytest.raises(EntryMissingError):
        place.client.drop_partitions(missing, partitions)


def test_partitions_stay_when_their_entry_is_replaced(place: Place) -> None:
    """A replaced entry still has the partitions that it had, at their old locations."""
    staged, base = place.partitioned(OTHER), place.partitioned(PLAIN)
    place.client.alter_table(publication(base.name, staged, base), None)
    assert kept(place, base.name) == {PLAIN: f"{base.location}/0"}


@pytest.mark.parametrize("elsewhere", [False, True], ids=["same database", "another"])
def test_partitions_follow_a_rename(place: Place, elsewhere: bool) -> None:  # noqa: FBT001
    """A renamed table has its partitions at their locations, and the old name has none."""
    made = place.partitioned(PLAIN, OTHER)
    before = kept(place, made.name)
    database = place.other_database if elsewhere else place.database
    name = TableName(database, unused(place).table)
    place.client.rename_table(made.name, publication(name, made, made), None)
    assert kept(place, name) == before
    with pytest.raises(EntryMissingError):
        place.client.partitions(made.name)


def test_a_new_table_has_no_partitions_of_a_dropped_one(place: Place) -> None:
    """A table that is created under a dropped one's name begins without partitions."""
    made, staged = place.partitioned(PLAIN), place.partitioned()
    place.client.drop_entry(made.name)
    place.client.create_table(EntryChange(made.name, staged, None, {}))
    assert place.client.partitions(made.name) == ()


@pytest.mark.parametrize("kind", ["EXTERNAL_TABLE", "MANAGED_TABLE"])
def test_dropping_partitions_leaves_the_data(remote: ServerPlace, kind: str) -> None:
    """The files of a dropped partition stay, whatever its table's type."""
    made = remote.partitioned(PLAIN, table_type=kind)
    file = remote.directory(made.name) / "0" / "part-0.parquet"
    file.write_text("rows")
    remote.client.drop_partitions(made.name, remote.client.partitions(made.name))
    assert remote.client.partitions(made.name) == ()
    assert file.read_text() == "rows"


def test_many_partitions_take_several_calls(
    remote: ServerPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More partitions than one call takes are all added, and all dropped again."""
    monkeypatch.setattr(messages, "BATCH", 3)
    made = remote.partitioned(*((str(number), "at") for number in range(8)))
    target = remote.partitioned()
    found = remote.client.partitions(made.name)
    remote.client.add_partitions(target, found)
    assert kept(remote, target.name) == kept(remote, made.name)
    remote.client.drop_partitions(target.name, found)
    assert remote.client.partitions(target.name) == ()


def test_a_call_takes_many_partitions_with_many_columns(remote: ServerPlace) -> None:
    """A call of some megabytes gets to the server, which answers it by name."""
    wide = remote.partitioned(PLAIN, columns=tuple((f"c{at}", "string") for at in range(300)))
    many = remote.client.partitions(wide.name) * messages.BATCH
    with pytest.raises(EntryMissingError):
        remote.client.add_partitions(replace(wide, name=unused(remote)), many)


@pytest.mark.parametrize("values", [PLAIN, *ODD])
def test_partitions_are_moved(place: Place, values: tuple[str, ...]) -> None:
    """Those of the same values are elsewhere afterwards, and every other one stays as it is."""
    made = place.partitioned(values, OTHER)
    before = kept(place, made.name)
    place.client.alter_partitions(made, (Partition(values, f"{made.location}/moved"),))
    assert kept(place, made.name) == {**before, values: f"{made.location}/moved"}


def test_a_missing_partition_is_not_moved(place: Place) -> None:
    """Altering what is not there is refused; the metastore may have altered others."""
    made = place.partitioned(PLAIN)
    with pytest.raises(RefusedError):
        place.client.alter_partitions(made, (Partition(OTHER, f"{made.location}/moved"),))
    assert OTHER not in kept(place, made.name)


def test_a_partition_has_columns_and_format_of_its_table(remote: ServerPlace) -> None:
    """Whether it was added or altered; its parameters are those that it is given."""
    made = remote.partitioned(PLAIN)
    given = [
        Partition(values, f"{made.location}/{values[1]}", {"numFiles": "7", "totalSize": "70"})
        for values in (PLAIN, OTHER)
    ]
    remote.client.alter_partitions(made, given[:1])
    remote.client.add_partitions(made, given[1:])
    table = remote.seen(made.name)
    for one in remote.raw_partitions(made.name):
        assert one.sd.cols == table.sd.cols
        assert one.sd.inputFormat == table.sd.inputFormat
        assert one.sd.serdeInfo == table.sd.serdeInfo
        assert {"numFiles": "7", "totalSize": "70"}.items() <= one.parameters.items()
        assert one.createTime


def test_keys_are_those_of_the_table(place: Place) -> None:
    """A partition's values stand in the order of its table's keys."""
    made = place.partitioned(PLAIN)
    (found,) = place.client.partitions(made.name)
    assert dict(zip(made.partition_keys, found.values, strict=True)) == dict(
        zip(KEYS, PLAIN, strict=True)
    )
