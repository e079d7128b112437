"""What became of a world's versions, as their records tell it."""

from dataclasses import replace

from ctas_spark.context import TableName
from ctas_spark.files.record import Record
from fakes.world import TARGET_NAME, Staged, World, version_of


def record_of(world: World, staged: Staged) -> Record:
    """The version's record as it is now."""
    found = Record.of(world.metastore.tables[version_of(staged).record])
    assert found is not None
    return found


def is_deleting(world: World, staged: Staged) -> bool:
    """True if a clean-up has taken the version's record."""
    return record_of(world, staged).is_deleting


def takes(world: World, staged: Staged) -> None:
    """A clean-up moves the version's record to ``deleting``."""
    name, record = version_of(staged).record, record_of(world, staged)
    found = world.metastore.tables[name]
    taken = replace(record, deleting_ms=world.clock.wall).to_parameters()
    world.metastore.tables[name] = replace(found, parameters={**found.parameters, **taken})


def drops_the_target(world: World) -> None:
    """A user's DROP TABLE: an external table's files stay."""
    del world.metastore.tables[TARGET_NAME]


def renames_the_target(world: World, to: TableName) -> None:
    """A user's ALTER TABLE RENAME, also into another database."""
    world.metastore.databases.setdefault(to.database, f"file:/warehouse/{to.database}.db")
    found = world.metastore.tables.pop(TARGET_NAME)
    world.metastore.tables[to] = replace(found, name=to)
