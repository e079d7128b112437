"""What every client promises of Hive's own columns and partition keys, the fake included.

The server has its default settings: it compares old and new columns by position.
"""

import pytest

from contract_clients.places import FakePlace, Place
from contract_clients.server_place import ServerPlace
from ctas_spark.context import TableName
from ctas_spark.errors import (
    ColumnsRefusedError,
    EntryModifiedError,
    RefusedError,
)
from ctas_spark.metastore.client import (
    PARTITION_COLUMN,
    PARTITION_COLUMN_COUNT,
    PLACEHOLDER,
    PROVIDER,
    EntryChange,
    Expectation,
    TableEntry,
)

HivePlace = FakePlace | ServerPlace
OTHER_COLUMNS = (("id", "string"), ("name", "string"))
TEXT, NUMBER = (("id", "string"),), (("id", "bigint"),)
COMMIT = "ctas_spark_commit"
BY_MONTH = {
    PROVIDER: "parquet",
    PARTITION_COLUMN_COUNT: "2",
    f"{PARTITION_COLUMN}0": "month",
    f"{PARTITION_COLUMN}1": "area",
}


def current(place: Place, name: TableName) -> TableEntry:
    """The entry, which has to be there."""
    found = place.client.get_table(name)
    assert found is not None
    return found


def test_another_type_at_a_position_is_refused(place: HivePlace) -> None:
    """A server refuses string to bigint by name, and the entry is as it was."""
    staged, base = place.new(columns=NUMBER), place.new(columns=TEXT)
    change = EntryChange(base.name, staged, base, {"new": "yes"})
    with pytest.raises(ColumnsRefusedError):
        place.client.alter_table(change, None)
    assert current(place, base.name) == base


def test_any_type_is_published_by_two_calls(place: HivePlace) -> None:
    """A call without columns publishes all else; a second one fills them and changes only them."""
    staged, base = place.new(columns=NUMBER), place.new(columns=TEXT, parameters={COMMIT: "c1"})
    change = EntryChange(base.name, staged, base, {COMMIT: "c2"}, ())
    place.client.alter_table(change, Expectation(COMMIT, "c1"))
    published = current(place, base.name)
    assert (published.columns, published.location) == ((), staged.location)
    filling = EntryChange.of(published, dict(published.parameters), staged.described_columns)
    place.client.alter_table(filling, Expectation(COMMIT, "c2"))
    filled = current(place, base.name)
    assert filled.columns == NUMBER
    assert (filled.parameters, filled.location) == (published.parameters, published.location)


def test_columns_are_not_filled_over_another_commit(place: HivePlace) -> None:
    """The second call is refused once another writer published."""
    base = place.new(parameters={COMMIT: "c2"})
    theirs = EntryChange(base.name, base, base, {COMMIT: "c3"})
    place.client.alter_table(theirs, Expectation(COMMIT, "c2"))
    with pytest.raises(EntryModifiedError):
        place.client.alter_table(
            EntryChange.of(base, dict(base.parameters), TEXT), Expectation(COMMIT, "c2")
        )
    assert current(place, base.name).columns == base.columns


def test_columns_are_given_with_their_comments(place: HivePlace) -> None:
    """Columns that are named one by one come with the comments that they are given."""
    base = place.new(columns=(PLACEHOLDER[:2],))
    place.client.alter_table(
        EntryChange.of(base, dict(base.parameters), (PLACEHOLDER, ("n", "int"))), None
    )
    found = current(place, base.name)
    assert found.columns == (("col", "array<string>"), ("n", "int"))
    assert found.comments == {"col": "from deserializer"}
    assert found.described_columns == (PLACEHOLDER, ("n", "int"))


def test_columns_of_the_base_are_kept(place: HivePlace) -> None:
    """A replaced entry keeps the base's columns for other engines where it is told to."""
    staged, base = place.new(columns=OTHER_COLUMNS), place.new()
    change = EntryChange(base.name, staged, base, {"new": "yes"}, base.described_columns)
    place.client.alter_table(change, None)
    found = current(place, base.name)
    assert (found.columns, found.location) == (base.columns, staged.location)
    assert found.parameters["new"] == "yes"


def test_other_partition_keys_are_refused(place: HivePlace) -> None:
    """A server refuses other keys of Hive's in an alter, and the entry is as it was."""
    staged, base = place.new(partition_keys=("month",)), place.new(partition_keys=("day",))
    with pytest.raises(RefusedError):
        place.client.alter_table(EntryChange(base.name, staged, base, {}), None)
    assert current(place, base.name) == base


@pytest.mark.parametrize(
    ("parameters", "columns"),
    [(BY_MONTH, ("month", "area")), ({PROVIDER: "parquet"}, ())],
    ids=["other columns", "none"],
)
def test_keys_are_kept_beside_sparks_columns(
    place: HivePlace, parameters: dict[str, str], columns: tuple[str, ...]
) -> None:
    """One call keeps Hive's keys; Spark's partition columns are those of the parameters."""
    staged = place.new(columns=NUMBER, partition_keys=columns, parameters=parameters)
    base = place.new(columns=TEXT, partition_keys=("day",), parameters={PROVIDER: "parquet"})
    change = EntryChange(base.name, staged, base, parameters, (), keeps_partition_keys=True)
    place.client.alter_table(change, None)
    published = current(place, base.name)
    assert (published.partition_keys, published.partition_columns) == (("day",), columns)
    place.client.alter_table(
        EntryChange.of(published, dict(published.parameters), (PLACEHOLDER,)), None
    )
    found = current(place, base.name)
    assert (found.partition_keys, found.partition_columns) == (("day",), columns)
    assert found.columns == (PLACEHOLDER[:2],)


def test_a_table_of_hives_is_partitioned_by_its_keys(place: Place) -> None:
    """Without properties of Spark's its partition columns are Hive's keys."""
    made = place.new(partition_keys=("day",), parameters={})
    assert made.partition_columns == ("day",)
