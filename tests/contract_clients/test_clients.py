"""What every client of a metastore promises, the fake included."""

import pytest

from contract_clients.places import Place, unused
from ctas_spark.context import TableName
from ctas_spark.errors import (
    EntryExistsError,
    EntryMissingError,
    EntryModifiedError,
)
from ctas_spark.metastore.client import (
    VIEW,
    EntryChange,
    Expectation,
    TableEntry,
)

COMMIT = "ctas_spark_commit"
STAGED = {"columns": (("id", "bigint"), ("name", "string")), "parameters": {"made": "by ctas"}}


def current(place: Place, name: TableName) -> TableEntry:
    """The entry, which has to be there."""
    found = place.client.get_table(name)
    assert found is not None
    return found


def publication(target: TableName, staged: TableEntry, base: TableEntry | None) -> EntryChange:
    """A change that leaves a new commit id."""
    return EntryChange(target, staged, base, {**staged.parameters, COMMIT: "c2"})


def test_a_missing_table_is_none(place: Place) -> None:
    """A table that is not there, in a database that is or is not there, is None."""
    assert place.client.get_table(unused(place)) is None
    assert place.client.get_table(TableName("no_such_database", "orders")) is None


def test_a_missing_database_is_none(place: Place) -> None:
    """A database's location is its directory, and None where there is no database."""
    location = place.client.database_location(place.database)
    assert location is not None
    assert location.endswith(f"/{place.database}.db")
    assert place.client.database_location("no_such_database") is None


def test_an_entry_read_twice_is_equal(place: Place) -> None:
    """Two reads of an entry that nobody changed are equal."""
    made = place.new()
    assert current(place, made.name) == current(place, made.name)


def test_an_entry_is_created(place: Place) -> None:
    """A created entry has the fields of the staged one, under its own name."""
    staged, target = place.new(**STAGED), unused(place)
    place.client.create_table(publication(target, staged, None))
    created = current(place, target)
    assert (created.name, created.columns) == (target, STAGED["columns"])
    assert (created.location, created.table_type) == (staged.location, staged.table_type)
    assert created.parameters.items() >= {"made": "by ctas", COMMIT: "c2"}.items()


def test_an_entry_is_created_once(place: Place) -> None:
    """Creating what is there is EntryExistsError, and changes nothing."""
    staged, taken = place.new(**STAGED), place.new()
    with pytest.raises(EntryExistsError):
        place.client.create_table(publication(taken.name, staged, None))
    assert current(place, taken.name) == taken


@pytest.mark.parametrize("expected", [None, Expectation(COMMIT, "c1")])
def test_an_entry_is_replaced(place: Place, expected: Expectation | None) -> None:
    """An alteration without an expectation, or with one that is met, replaces every field."""
    staged, base = place.new(**STAGED), place.new(parameters={COMMIT: "c1", "old": "yes"})
    place.client.alter_table(publication(base.name, staged, base), expected)
    replaced = current(place, base.name)
    assert (replaced.columns, replaced.location) == (STAGED["columns"], staged.location)
    assert replaced.parameters.get(COMMIT) == "c2"
    assert "old" not in replaced.parameters


@pytest.mark.parametrize("parameters", [{COMMIT: "c0"}, {}], ids=["another value", "no value"])
def test_a_wrong_expectation_changes_nothing(place: Place, parameters: dict[str, str]) -> None:
    """An expectation that is not met is EntryModifiedError, and the entry is as it was."""
    staged, base = place.new(**STAGED), place.new(parameters=parameters)
    with pytest.raises(EntryModifiedError):
        place.client.alter_table(publication(base.name, staged, base), Expectation(COMMIT, "c1"))
    assert current(place, base.name) == base


def test_an_expectation_is_used_up(place: Place) -> None:
    """The same alteration made twice is refused the second time."""
    staged, base = place.new(**STAGED), place.new(parameters={COMMIT: "c1"})
    change = publication(base.name, staged, base)
    place.client.alter_table(change, Expectation(COMMIT, "c1"))
    with pytest.raises(EntryModifiedError):
        place.client.alter_table(change, Expectation(COMMIT, "c1"))


@pytest.mark.parametrize("expected", [None, Expectation(COMMIT, "c1")])
def test_a_missing_entry_is_not_altered(place: Place, expected: Expectation | None) -> None:
    """Altering what is not there is EntryMissingError, and creates nothing."""
    staged, target = place.new(**STAGED), unused(place)
    with pytest.raises(EntryMissingError):
        place.client.alter_table(publication(target, staged, None), expected)
    assert place.client.get_table(target) is None


def test_an_entry_is_dropped(place: Place) -> None:
    """A dropped entry is gone; dropping it again, or what never was, is no error."""
    made = place.new()
    for name in (made.name, made.name, unused(place), TableName("no_such_database", "orders")):
        place.client.drop_entry(name)
    assert place.client.get_table(made.name) is None


@pytest.mark.parametrize(
    "value",
    [
        "größer 日本語 😀",
        'it\'s "so" `here`',
        "two\nlines\r\n\ttab",
        "back\\slash %s ${x}",
        "x" * 3500,
    ],
    ids=["unicode", "quotes", "newlines", "escapes", "long"],
)
def test_parameters_are_kept_to_the_letter(place: Place, value: str) -> None:
    """A parameter's value comes back as it was given, created or altered."""
    staged, base = place.new(), place.new()
    created = unused(place)
    place.client.create_table(EntryChange(created, staged, None, {"odd": value}))
    place.client.alter_table(EntryChange(base.name, staged, base, {"odd": value}), None)
    assert current(place, created).parameters["odd"] == value
    assert current(place, base.name).parameters["odd"] == value
    expected = Expectation("odd", value)
    place.client.alter_table(EntryChange(base.name, staged, base, {"odd": "plain"}), expected)


def test_comparing_is_probed_without_a_trace(place: Place) -> None:
    """The probe says whether the metastore itself compares, and leaves the entry as it is."""
    created = unused(place)
    scratch = place.client.scratch_entry(created)
    place.client.create_table(EntryChange(created, scratch, None, {"made": "once"}))
    entry, before = current(place, created), place.tables()
    assert place.client.compares_and_swaps(entry, "made")
    assert current(place, created) == entry
    assert place.tables() == before


def test_partition_keys_are_kept(place: Place) -> None:
    """A partitioned entry has its keys, besides its columns, wherever it is published."""
    keys = ("day", "country")
    staged, base = place.new(partition_keys=keys), place.new(partition_keys=keys)
    created = unused(place)
    place.client.create_table(publication(created, staged, None))
    place.client.alter_table(publication(base.name, staged, base), None)
    for name in (created, base.name):
        found = current(place, name)
        assert (found.partition_keys, found.columns) == (keys, (("id", "bigint"),))


def test_a_view_becomes_a_table(place: Place) -> None:
    """A view has no location, and is a table once a table is published over it."""
    staged, view = place.new(**STAGED), place.new(table_type=VIEW, location=None)
    assert (view.is_view, view.location) == (True, None)
    place.client.alter_table(publication(view.name, staged, view), None)
    replaced = current(place, view.name)
    assert (replaced.is_view, replaced.location) == (False, staged.location)
