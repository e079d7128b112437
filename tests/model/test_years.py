"""What a run reads and keeps does not grow with how often, and how many, tables were built."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest

from ctas_spark.clock import HOUR_MS
from ctas_spark.context import StagingContext, TableName
from ctas_spark.retention.rules import RetentionRules
from fakes.world import World
from long import long

MINUTE_MS = 60_000
DAYS_MS = 48 * HOUR_MS
MANY = 10_000
LIVES = [
    (300, MINUTE_MS, HOUR_MS, 1),
    (300, MINUTE_MS, HOUR_MS, 39),
    (250, HOUR_MS, DAYS_MS, 1),
    (250, HOUR_MS, DAYS_MS, 39),
    *(long(MANY, MINUTE_MS, grace, keep) for grace in (HOUR_MS, DAYS_MS) for keep in (1, 39)),
]
"""Builds, the time between two of them, their grace and what is kept."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one build with its clean-up took, and what there was after it."""

    calls: int
    read: int
    files: int
    entries: int
    marker: int


def costs(world: World, builds: int, every_ms: int, rules: RetentionRules) -> Iterator[Cost]:
    """One after the other."""
    for _ in range(builds):
        began_ms = world.clock.wall
        world.metastore.calls.clear()
        world.metastore.read_together.clear()
        world.published()
        world.sweep(rules)
        yield Cost(
            len(world.metastore.calls),
            len(world.metastore.read_together),
            len(world.storage.texts),
            len(world.metastore.tables),
            sum(len(key) + len(value) for key, value in world.target.parameters.items()),
        )
        world.clock.pass_ms(every_ms - (world.clock.wall - began_ms))


@pytest.mark.parametrize(("builds", "every_ms", "grace_ms", "keep"), LIVES)
def test_a_build_costs_the_same_however_often_a_table_was_built(
    builds: int, every_ms: int, grace_ms: int, keep: int
) -> None:
    """Calls, entries read, files kept, and the size of the table's entry."""
    rules = RetentionRules(versions_to_keep=keep, grace_ms=grace_ms)
    found = list(costs(World(), builds, every_ms, rules))
    # by then as many versions are there as the rules keep
    settled, last = found[builds // 2 : builds * 3 // 4], found[builds * 3 // 4 :]
    for field in Cost.__slots__:
        most = max(getattr(one, field) for one in settled)
        assert max(getattr(one, field) for one in last) <= most, field
    within = grace_ms // every_ms
    assert max(one.files for one in last) <= within + keep + 4


def populated(tables: int, databases: int, orphans: int) -> tuple[World, list[StagingContext]]:
    """Tables in databases with a staging schema each, and runs that died with them."""
    world, contexts = World(), []
    for number in range(tables):
        database = f"db_{number % databases}"
        staging_schema = f"{database}__ctas_spark"
        world.metastore.databases.setdefault(database, f"file:/warehouse/{database}.db")
        world.metastore.databases.setdefault(staging_schema, "file:/warehouse/staging")
        target = TableName(database, f"t_{number}")
        contexts.append(StagingContext(target, staging_schema))
        world.published(target=target, staging_schema=staging_schema)
        if number < orphans:
            world.begun(target=target, staging_schema=staging_schema)
    world.grow_old()
    return world, contexts


def calls_of_a_vacuum(tables: int, databases: int, orphans: int) -> float:
    """The calls of one that deletes all orphans, for each table."""
    world, contexts = populated(tables, databases, orphans)
    catalog, rules = world.catalog(), replace(RetentionRules(), thorough=True, fences=True)
    world.metastore.calls.clear()
    begun = [catalog.begin_clean_up(one, rules) for one in contexts]
    assert sum(len(delete().freed) for delete in begun) == orphans
    known = [one.target for one in contexts]
    assert not [one for one in contexts[:databases] if catalog.abandoned(one, known)]
    assert world.metastore.calls.count("databases") == 1
    return len(world.metastore.calls) / tables


@pytest.mark.parametrize(
    ("tables", "databases", "orphans"), [(600, 60, 120), long(5_000, 500, 1_000)]
)
def test_a_vacuum_makes_as_many_calls_for_a_table_however_many_there_are(
    tables: int, databases: int, orphans: int
) -> None:
    """In ten times as many databases, and with ten times as many orphans, it makes no more."""
    few = calls_of_a_vacuum(tables // 10, databases // 10, orphans // 10)
    assert calls_of_a_vacuum(tables, databases, orphans) <= few * 1.1
