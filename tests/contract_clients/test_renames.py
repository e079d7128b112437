"""What every client promises of renamed and of dropped entries, the fake included."""

from collections.abc import Callable

import pytest

from contract_clients.places import Place, unused
from contract_clients.server_place import ServerPlace
from ctas_spark.context import TableName
from ctas_spark.errors import (
    EntryExistsError,
    EntryMissingError,
    EntryModifiedError,
    RefusedError,
)
from ctas_spark.metastore.client import EntryChange, Expectation, TableEntry

STATE = "ctas_spark_state"
OTHER_COLUMNS = (("id", "string"), ("name", "string"))


def renaming(name: TableName, made: TableEntry) -> EntryChange:
    """The entry under another name, with another state."""
    return EntryChange(name, made, made, {**made.parameters, STATE: "moved"})


def elsewhere(place: Place) -> TableName:
    """A name that nobody has, in the other database."""
    return TableName(place.other_database, unused(place).table)


@pytest.mark.parametrize("expected", [None, Expectation(STATE, "here")])
@pytest.mark.parametrize("name_in", [unused, elsewhere], ids=["same database", "another"])
def test_an_entry_is_renamed(
    place: Place, name_in: Callable[[Place], TableName], expected: Expectation | None
) -> None:
    """A renamed entry is there with its new parameters, and no longer under its old name."""
    made, name = place.new(parameters={STATE: "here"}), name_in(place)
    place.client.rename_table(made.name, renaming(name, made), expected)
    found = place.client.get_table(name)
    assert found is not None
    assert (found.name, found.columns, found.location) == (name, made.columns, made.location)
    assert found.parameters[STATE] == "moved"
    assert place.client.get_table(made.name) is None


def test_a_rename_can_replace_every_field(place: Place) -> None:
    """The entry takes the staged one's columns and location along with its new name."""
    made, staged = place.new(), place.new(columns=OTHER_COLUMNS)
    name = unused(place)
    place.client.rename_table(made.name, EntryChange(name, staged, made, {}), None)
    found = place.client.get_table(name)
    assert found is not None
    assert (found.columns, found.location) == (OTHER_COLUMNS, staged.location)


def test_a_taken_name_is_refused(place: Place) -> None:
    """Renaming to a name that is taken is EntryExistsError, and changes neither entry."""
    made, taken = place.new(), place.new()
    with pytest.raises(EntryExistsError):
        place.client.rename_table(made.name, renaming(taken.name, made), None)
    assert place.client.get_table(made.name) == made
    assert place.client.get_table(taken.name) == taken


@pytest.mark.parametrize("parameters", [{STATE: "another"}, {}], ids=["another value", "no value"])
def test_a_wrong_expectation_renames_nothing(place: Place, parameters: dict[str, str]) -> None:
    """An expectation that is not met is EntryModifiedError, and the entry keeps its name."""
    made, name = place.new(parameters=parameters), unused(place)
    with pytest.raises(EntryModifiedError):
        place.client.rename_table(made.name, renaming(name, made), Expectation(STATE, "here"))
    assert place.client.get_table(made.name) == made
    assert place.client.get_table(name) is None


def test_a_missing_entry_is_not_renamed(place: Place) -> None:
    """Renaming what is not there is EntryMissingError, and creates nothing."""
    made, missing, name = place.new(), unused(place), unused(place)
    with pytest.raises(EntryMissingError):
        place.client.rename_table(missing, renaming(name, made), None)
    assert place.client.get_table(name) is None


def test_a_missing_database_takes_nothing(remote: ServerPlace) -> None:
    """Renaming into a database that is not there is refused, and the entry keeps its name."""
    made = remote.new()
    with pytest.raises(RefusedError):
        remote.client.rename_table(made.name, renaming(TableName("nowhere", "t"), made), None)
    assert remote.client.get_table(made.name) == made


def test_a_rename_leaves_the_data(remote: ServerPlace) -> None:
    """The files of a renamed external table stay where they are."""
    made = remote.new()
    file = remote.directory(made.name) / "part-0.parquet"
    file.write_text("rows")
    for name in (unused(remote), elsewhere(remote)):
        remote.client.rename_table(made.name, renaming(name, made), None)
        made = remote.client.get_table(name) or made
    assert file.read_text() == "rows"


@pytest.mark.parametrize("kind", ["EXTERNAL_TABLE", "MANAGED_TABLE"])
def test_dropping_leaves_the_data(remote: ServerPlace, kind: str) -> None:
    """The files of a dropped entry stay, whatever its type."""
    made = remote.new(table_type=kind)
    file = remote.directory(made.name) / "part-0.parquet"
    file.write_text("rows")
    remote.client.drop_entry(made.name)
    assert remote.client.get_table(made.name) is None
    assert file.read_text() == "rows"
