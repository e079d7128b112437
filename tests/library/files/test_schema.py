"""Spark's schema in an entry's properties."""

import json
from dataclasses import replace

import pytest

from ctas_spark.context import TableName
from ctas_spark.files.entries import EntryWriter
from ctas_spark.files.record import Record
from ctas_spark.files.schema import (
    LONGEST_PART,
    MOST_OF_COMMENT,
    columns_of,
    comment,
)
from ctas_spark.publish.locks import NoLock
from fakes.metastore import FakeMetastore, entry
from fakes.world import STAGING_SCHEMA, TARGET_NAME, World, version_of

FIELDS = [
    {"name": "id", "type": "long", "nullable": True, "metadata": {"comment": "cut"}},
    {"name": "n", "type": "string", "nullable": True},
]
SCHEMA = json.dumps({"type": "struct", "fields": FIELDS})
OTHERS = {"spark.sql.sources.schema.numPartCols": "1", "spark.sql.sources.schema.partCol.0": "n"}
IN_PARTS = {
    "spark.sql.sources.schema.numParts": "2",
    "spark.sql.sources.schema.part.0": SCHEMA[:50],
    "spark.sql.sources.schema.part.1": SCHEMA[50:],
}


@pytest.mark.parametrize("properties", [{"spark.sql.sources.schema": SCHEMA}, IN_PARTS])
def test_a_comment_of_any_length_is_whole_in_sparks_schema(properties: dict[str, str]) -> None:
    """Hive's columns hold 256 characters of it; nothing else of the entry changes."""
    metastore = FakeMetastore()
    found = replace(entry(TARGET_NAME), parameters={**OTHERS, **properties})
    metastore.tables[TARGET_NAME] = found
    long = "\u00e9" * 2 * LONGEST_PART
    entries = EntryWriter(metastore, NoLock())
    assert comment(entries, TARGET_NAME, {"id": long, "n": "by it"}.get) == ("n",)
    now = metastore.tables[TARGET_NAME]
    count = int(now.parameters["spark.sql.sources.schema.numParts"])
    parts = [now.parameters[f"spark.sql.sources.schema.part.{at}"] for at in range(count)]
    assert max(map(len, parts)) == LONGEST_PART
    first, second = json.loads("".join(parts))["fields"]
    assert first == {**FIELDS[0], "metadata": {"comment": long}}
    assert second == FIELDS[1]
    assert now.parameters.items() >= OTHERS.items()
    assert columns_of(now) == columns_of(found) == {"id": "long", "n": "string"}
    assert now.comments == {"id": long[:MOST_OF_COMMENT]}


def test_short_comments_are_kept_as_spark_keeps_them() -> None:
    """In one property, and whatever case Hive has a name in."""
    metastore = FakeMetastore()
    schema = SCHEMA.replace('"id"', '"Id"')
    found = replace(entry(TARGET_NAME), parameters={"spark.sql.sources.schema": schema})
    metastore.tables[TARGET_NAME] = found
    entries = EntryWriter(metastore, NoLock())
    assert comment(entries, TARGET_NAME, {"Id": "number", "n": "name"}.get) == ()
    now = metastore.tables[TARGET_NAME]
    fields = json.loads(now.parameters["spark.sql.sources.schema"])["fields"]
    assert [one["metadata"]["comment"] for one in fields] == ["number", "name"]
    assert (now.comments, now.columns) == ({"id": "number"}, found.columns)


@pytest.mark.parametrize("single_process", [False, True])
@pytest.mark.parametrize("compares", [True, False])
def test_comments_undo_no_clean_up(*, compares: bool, single_process: bool) -> None:
    """One that took the version since the entry was read keeps it, and the commit fails."""
    world = World(single_process=single_process)
    world.metastore.compares = compares
    ours = world.begun()
    name = version_of(ours).record
    found = world.metastore.tables[name]
    world.metastore.tables[name] = replace(
        found, parameters={**found.parameters, "spark.sql.sources.schema": SCHEMA}
    )
    world.grow_old()
    world.once_after("get_table", lambda: taken(world, name))
    entries = world.catalog().services(STAGING_SCHEMA).entries
    comment(entries, name, {"id": "its number"}.get)
    now = world.metastore.tables[name]
    record = Record.of(now)
    assert record is not None
    assert record.is_deleting
    assert "its number" in now.parameters["spark.sql.sources.schema"]


def taken(world: World, name: TableName) -> None:
    """What a clean-up writes before it deletes."""
    found = world.metastore.tables[name]
    record = Record.of(found)
    assert record is not None
    deleting = replace(record, deleting_ms=1).to_parameters()
    world.metastore.tables[name] = replace(found, parameters={**found.parameters, **deleting})
