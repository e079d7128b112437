"""What a run asks of the metastore besides the CTAS of each model."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.staging.files import last_read
from dbt.adapters.ctas_spark.staging.files.record import Record
from dbt.adapters.ctas_spark.staging.metastore.client import TableEntry
from dbt.adapters.ctas_spark.staging.publish.marker import Marker
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules
from fakes.metastore import entry
from fakes.world import CONTEXT, World, published_by, version_of


def test_a_plain_rebuild_makes_five_calls_of_the_metastore() -> None:
    """The target at begin; the target and the record before the call; the call; the target."""
    world = World()
    catalog = world.catalog()

    published_by(catalog, world)
    published_by(catalog, world)
    world.metastore.calls.clear()
    published_by(catalog, world)
    reads = ["get_table", "get_table", "get_table"]
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


def test_the_end_of_a_run_makes_one_call_a_table_and_three_for_all() -> None:
    """Records and tables are read together; the note of a new version is also of the one before."""
    world = World()
    targets = [TableName("shop", name) for name in ("orders", "lines", "stock")]
    contexts = [replace(CONTEXT, target=target) for target in targets]
    for context in contexts:
        world.published(target=context.target)
    last = [world.published(target=context.target).version for context in contexts]
    catalog = world.catalog()
    catalog.services(CONTEXT.staging_schema).roots.known(CONTEXT)  # each model has asked for these
    world.metastore.calls.clear()
    clean_up = catalog.clean_ups([(context, RetentionRules()) for context in contexts])
    for context, version in zip(contexts, last, strict=True):
        clean_up(context, RetentionRules(), counted={version: WriteFigures(rows=1)})
    assert world.metastore.calls == ["tables", "entries", "entries", *["alter_table"] * 3]


def test_the_end_of_a_run_reads_no_table_that_it_has_just_created() -> None:
    """It has read both entries in the commit; it lists names, and notes the publication."""
    world = World()
    catalog = world.catalog()
    staged = published_by(catalog, world)
    world.metastore.calls.clear()
    clean_up = catalog.clean_ups([(CONTEXT, RetentionRules())])
    clean_up(CONTEXT, RetentionRules(), counted={staged.version: WriteFigures(rows=1)})
    assert world.metastore.calls == ["tables", "alter_table"]
    world.metastore.calls.clear()
    catalog.clean_ups([(CONTEXT, RetentionRules())])
    assert world.metastore.calls == ["tables", "entries", "entries"]


def test_the_end_of_a_run_reads_of_a_rebuilt_table_what_others_may_have_changed() -> None:
    """The record of the version before, and then the table."""
    world = World()
    before = world.published()
    catalog = world.catalog()
    published_by(catalog, world)
    catalog.clean_ups([(CONTEXT, RetentionRules())])
    assert world.metastore.read_together == [version_of(before).record, CONTEXT.target]


def test_a_long_run_keeps_what_it_has_read_of_some_tables_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They are in memory until it ends."""
    monkeypatch.setattr(last_read, "MOST_TABLES", 1)
    kept = last_read.LastRead()
    names = [TableName("shop", name) for name in ("a__1", "a", "b__1", "b")]
    entries = [entry(name) for name in names]
    kept.keep(entries[0], entries[1])
    kept.keep(entries[2], entries[3])
    assert list(kept.take(names)) == names[:2]
    assert kept.take(names) == {}
