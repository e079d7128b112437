"""What a run asks of the metastore besides the CTAS of each model."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from ctas_spark.clock import HOUR_MS
from ctas_spark.context import StagingContext, TableName
from ctas_spark.engines.protocol import WriteFigures
from ctas_spark.errors import MetastoreError, NotSupportedError
from ctas_spark.files.record import Record
from ctas_spark.metastore.client import TableEntry
from ctas_spark.publish.marker import FORMAT, MARKER_FORMAT, Marker
from ctas_spark.retention.rules import RetentionRules
from fakes.world import AT_ONCE, CONTEXT, World, published_by


@pytest.mark.parametrize(("counted", "after_the_job"), [(True, []), (False, ["get_table"])])
def test_a_plain_rebuild_makes_five_calls_of_the_metastore(
    after_the_job: list[str], *, counted: bool
) -> None:
    """The target at begin; the target and the record before the call; the call; the target.

    Where no job counts what it writes, the metastore is asked, whose listing is in the record.
    """
    world = World()
    catalog = world.catalog()
    if counted:
        world.job.counted = WriteFigures(rows=1, files=1, bytes=4)

    published_by(catalog, world)
    published_by(catalog, world)
    world.metastore.calls.clear()
    published_by(catalog, world)
    reads = ["get_table", *after_the_job, "get_table", "get_table"]
    assert world.metastore.calls == [*reads, "alter_table", "get_table"]


def test_a_marker_is_parsed_once_for_each_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """At begin, before the call and after it; and the record once, before the call."""
    world = World()
    catalog = world.catalog()
    published_by(catalog, world)
    parsed = {"marker": 0, "record": 0}
    read, of = Marker.read, Record.of

    def count_marker(parameters: Mapping[str, str]) -> Marker | None:
        parsed["marker"] += 1
        return read(parameters)

    def count_record(found: TableEntry | None) -> Record | None:
        parsed["record"] += 1
        return of(found)

    monkeypatch.setattr(Marker, "read", count_marker)
    monkeypatch.setattr(Record, "of", count_record)
    published_by(catalog, world)
    assert parsed == {"marker": 3, "record": 1}


def tables(count: int) -> list[StagingContext]:
    """The contexts of some tables that are published by one run."""
    return [replace(CONTEXT, target=TableName("shop", f"t{at}")) for at in range(count)]


def calls_at_the_end(
    world: World, contexts: list[StagingContext], rules: RetentionRules
) -> list[str]:
    """The metastore's calls for all that one run has published."""
    catalog = world.catalog()
    catalog.services(CONTEXT.staging_schema).roots.known(CONTEXT)  # each model has asked for these
    world.metastore.calls.clear()
    clean_up = catalog.clean_ups([(context, rules) for context in contexts])
    for context in contexts:
        clean_up(context, rules)
    return world.metastore.calls


def test_the_end_of_first_builds_lists_the_schema_and_reads_nothing() -> None:
    """However many tables there are: what was published stands in them."""
    world, contexts = World(), tables(30)
    for context in contexts:
        world.published(target=context.target)
    assert calls_at_the_end(world, contexts, RetentionRules()) == ["tables"]


def test_the_end_of_a_run_reads_nothing_of_what_is_too_young_to_go() -> None:
    """Of a table that is built every few minutes, say."""
    world, contexts = World(), tables(3)
    for context in contexts * 3:
        world.published(target=context.target)
    assert calls_at_the_end(world, contexts, RetentionRules()) == ["tables"]


def test_the_end_of_rebuilds_reads_together_and_writes_nothing() -> None:
    """The records of a hundred tables by one call, then the tables by another."""
    world, contexts = World(), tables(120)
    for context in contexts:
        world.published(target=context.target)
    world.clock.pass_ms(2 * HOUR_MS)
    for context in contexts:
        world.published(target=context.target)
    calls = calls_at_the_end(world, contexts, RetentionRules())
    assert calls == ["tables", *["entries"] * 4]


def test_the_end_of_a_run_writes_only_for_what_is_deleted() -> None:
    """Of each version that goes: its record is taken, who shows it is asked, its entries go."""
    world, contexts = World(), tables(2)
    for _ in range(3):
        for context in contexts:
            world.published(target=context.target)
        world.clock.pass_ms(2 * HOUR_MS)
    calls = calls_at_the_end(world, contexts, RetentionRules())
    for_each = ["get_table", "alter_table", "tables_with", "get_table", "drop_entry", "drop_entry"]
    assert calls == ["tables", "entries", "entries", *for_each * 2]


def test_a_target_that_can_not_be_read_with_others_keeps_its_trouble_to_itself() -> None:
    """What is read together fails together; then each is read by itself."""
    world, contexts = World(), tables(3)
    for _ in range(2):
        for context in contexts:
            world.published(target=context.target)
        world.clock.pass_ms(2 * HOUR_MS)
    catalog = world.catalog()
    clean_up = catalog.clean_ups([(context, AT_ONCE) for context in contexts])
    failed = iter([MetastoreError("too much at once")])

    def refuse(call: str) -> None:
        if call == "entries":
            for error in failed:
                raise error

    world.metastore.before = refuse
    assert [len(clean_up(context, AT_ONCE).freed) for context in contexts] == [1, 1, 1]


def test_a_table_of_a_newer_release_stops_no_other_clean_up() -> None:
    """It is read with the others, and is refused alone."""
    world, contexts = World(), tables(3)
    for _ in range(2):
        for context in contexts:
            world.published(target=context.target)
        world.clock.pass_ms(2 * HOUR_MS)
    newer, *others = contexts
    shown = world.metastore.tables[newer.target]
    edited = replace(shown, parameters={**shown.parameters, FORMAT: str(MARKER_FORMAT + 1)})
    world.metastore.tables[newer.target] = edited
    clean_up = world.catalog().clean_ups([(context, AT_ONCE) for context in contexts])
    with pytest.raises(NotSupportedError, match="a newer release"):
        clean_up(newer, AT_ONCE)
    assert [len(clean_up(context, AT_ONCE).freed) for context in others] == [1, 1]
