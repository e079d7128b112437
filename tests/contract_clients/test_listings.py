"""What every client promises of lists and of statistics, the fake included."""

import pytest

from contract_clients.places import FakePlace, Place, unused
from contract_clients.server_place import ServerPlace
from ctas_spark.context import TableName
from ctas_spark.metastore.client import VIEW, EntryChange

STATE = "ctas_spark_state"
PARTITION_PROVIDER = "spark.sql.partitionProvider"


def test_databases_are_listed(place: Place) -> None:
    """The databases that are there are listed."""
    assert {place.database, place.other_database} <= set(place.client.databases())


def test_tables_are_listed(place: Place) -> None:
    """Tables and views of one database are listed."""
    made = {place.new().name, place.new(table_type=VIEW, location=None).name}
    found = place.client.tables(place.database)
    assert made <= set(found)
    assert sorted(name.table for name in found) == sorted(place.tables())


def test_tables_are_listed_by_prefix(place: Place) -> None:
    """Only names that begin with the prefix are listed, whatever it means in a pattern."""
    staged = place.new()
    plain = unused(place).table
    names = [TableName(place.database, f"{plain}__{end}") for end in ("a", "b")]
    for name in (*names, TableName(place.database, f"{plain}xxb")):
        place.client.create_table(EntryChange(name, staged, None, {}))
    assert sorted(map(str, place.client.tables(place.database, f"{plain}__"))) == sorted(
        map(str, names)
    )
    for prefix in ("no_such_table", "*", ".", f"|{plain}", f"{plain}.."):
        assert place.client.tables(place.database, prefix) == ()


def test_a_missing_database_has_no_tables(place: Place) -> None:
    """A database that is not there has no tables, asked in either way."""
    assert place.client.tables("no_such_database") == ()
    assert place.client.tables_with("no_such_database", STATE, "staged") == ()


@pytest.mark.parametrize("value", ["staged", "shop.orders", "größer", "it's", 'a "b"', "a b%_*"])
def test_tables_are_found_by_a_parameter(place: Place, value: str) -> None:
    """Tables whose parameter has the value are found, and no others."""
    made = place.new(parameters={STATE: value})
    place.new(parameters={STATE: f"{value}2", "other": value})
    place.new(parameters={})
    assert place.client.tables_with(place.database, STATE, value) == (made.name,)
    place.client.drop_entry(made.name)


@pytest.mark.parametrize(("parameter", "value"), [("a.b", "c"), ("a", "\"'"), ("", "c")])
def test_a_question_without_words_is_an_error(
    remote: ServerPlace, parameter: str, value: str
) -> None:
    """What Hive's filters can't say is an error, and never an empty answer."""
    with pytest.raises(ValueError, match="can't be asked"):
        remote.client.tables_with(remote.database, parameter, value)


def test_column_statistics_are_dropped(place: FakePlace | ServerPlace) -> None:
    """What the metastore keeps of a column's values is gone; the entry is as it was."""
    made = place.new()
    place.count_values(made.name)
    assert place.has_counted_values(made.name)
    before = place.client.get_table(made.name)
    place.client.drop_column_statistics(made.name)
    assert not place.has_counted_values(made.name)
    assert place.client.get_table(made.name) == before


def test_statistics_may_be_missing(place: Place) -> None:
    """Dropping statistics is no error without any, or without the table or the database."""
    for name in (place.new().name, unused(place), TableName("no_such_database", "t")):
        place.client.drop_column_statistics(name)
