"""Spark's schema in an entry's properties."""

import json
from dataclasses import replace

import pytest

from dbt.adapters.ctas_spark.staging.files.schema import (
    LONGEST_PART,
    columns_of,
    keep_whole_comments,
)
from fakes.metastore import FakeMetastore, entry
from fakes.world import TARGET_NAME

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
    keep_whole_comments(metastore, TARGET_NAME, {"id": long})
    now = metastore.tables[TARGET_NAME]
    count = int(now.parameters["spark.sql.sources.schema.numParts"])
    parts = [now.parameters[f"spark.sql.sources.schema.part.{at}"] for at in range(count)]
    assert max(map(len, parts)) == LONGEST_PART
    first, second = json.loads("".join(parts))["fields"]
    assert first == {**FIELDS[0], "metadata": {"comment": long}}
    assert second == FIELDS[1]
    assert now.parameters.items() >= OTHERS.items()
    assert columns_of(now) == columns_of(found) == {"id": "long", "n": "string"}
