"""The history says who published what, and what is left of it."""

import json
from dataclasses import replace

import pytest

from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.staging.files.rollback import roll_back
from dbt.adapters.ctas_spark.staging.files.schema import change_between, spark_columns
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.retention.history import figures_of_a_version, history
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules
from fakes.metastore import entry
from fakes.world import STAGING_SCHEMA, TARGET_NAME, World


@pytest.fixture
def world() -> World:
    """One metastore and one storage."""
    return World()


def described(**kinds: object) -> TableEntry:
    """An entry whose schema Spark wrote, in two parts."""
    fields = [{"name": name, "type": kind} for name, kind in kinds.items()]
    text = json.dumps({"fields": fields})
    schema = "spark.sql.sources.schema"
    parts = {f"{schema}.numParts": "2", f"{schema}.part.0": text[:9], f"{schema}.part.1": text[9:]}
    return entry(TARGET_NAME, parameters=parts)


def test_publications_stand_newest_first(world: World) -> None:
    """Builds and rollbacks, with version, kind, run and state."""
    old, new = world.published(), world.published()
    services = world.catalog().services(STAGING_SCHEMA)
    roll_back(new.context, services)
    events = history(new.context, services)
    assert [(e.version, e.kind, e.state) for e in events] == [
        (old.version, "rollback", "live"),
        (new.version, "build", "kept"),
        (old.version, "build", "live"),
    ]
    assert {e.run for e in events} == {world.lease.id}


def test_figures_are_kept_on_the_record(world: World) -> None:
    """Rows and bytes of each version are those of its job."""
    staged = world.published()
    staged.note(figures_of_a_version(WriteFigures(rows=7, files=1, bytes=700)))
    (event,) = history(staged.context, world.catalog().services(STAGING_SCHEMA))
    assert (event.rows, event.bytes) == (7, 700)


def test_a_deleted_version_is_still_in_the_history(world: World) -> None:
    """What retention freed is said, without figures."""
    world.published()
    new = world.published()
    world.catalog().clean_up(new.context, RetentionRules(versions_to_keep=0, grace_ms=0))
    events = history(new.context, world.catalog().services(STAGING_SCHEMA))
    assert [e.state for e in events] == ["live", "deleted"]


def test_a_repair_is_no_row_of_its_own(world: World) -> None:
    """The bookkeeping of partitions publishes no version."""
    staged = world.published("create_or_replace", "may")
    events = history(staged.context, world.catalog().services(STAGING_SCHEMA))
    assert [e.kind for e in events] == ["build"]


def test_a_table_of_others_has_no_history(world: World) -> None:
    """No marker, no publications."""
    world.metastore.tables[TARGET_NAME] = entry(TARGET_NAME)
    staged = world.table()
    assert history(staged.context, world.catalog().services(STAGING_SCHEMA)) == ()


def test_a_schema_change_is_spelled_out() -> None:
    """Added, removed and changed columns, nested types by their kind."""
    before = described(id="long", name="string", gone="date")
    after = described(id="string", name="string", tags={"type": "array"})
    assert change_between(before, after) == "+tags: array, -gone, id: long -> string"
    assert change_between(before, before) == ""


def test_columns_without_sparks_schema_are_the_metastores() -> None:
    """A table that Hive wrote is described by its own columns."""
    plain = replace(entry(TARGET_NAME), columns=(("id", "bigint"),))
    assert spark_columns(plain) == {"id": "bigint"}
