"""The history says what was published, and what is left of it."""

import json
from dataclasses import replace

from ctas_spark.engines.protocol import WriteFigures
from ctas_spark.files.schema import columns_of
from ctas_spark.metastore.client import TableEntry
from ctas_spark.retention.rules import Event, change_of
from fakes.metastore import entry
from fakes.records import drops_the_target
from fakes.world import CONTEXT, TARGET_NAME, World, version_of


def history(world: World) -> tuple[Event, ...]:
    """What another run sees of the target."""
    return world.catalog().history(CONTEXT)


def described(**kinds: object) -> TableEntry:
    """An entry whose schema Spark wrote, in two parts."""
    fields = [{"name": name, "type": kind} for name, kind in kinds.items()]
    text = json.dumps({"fields": fields})
    schema = "spark.sql.sources.schema"
    parts = {f"{schema}.numParts": "2", f"{schema}.part.0": text[:9], f"{schema}.part.1": text[9:]}
    return entry(TARGET_NAME, parameters=parts)


def test_publications_stand_newest_first(world: World) -> None:
    """Builds and rollbacks, each with a commit of its own; one of them is what is live."""
    old, new = world.published(), world.published()
    world.catalog().roll_back(CONTEXT)
    events = history(world)
    assert [(e.version, e.kind, e.state) for e in events] == [
        (old.version, "rollback", "live"),
        (new.version, "build", "kept"),
        (old.version, "build", "kept"),
    ]
    assert len({e.commit for e in events}) == 3
    assert events[0].time == "2023-11-14 22:13:22"


def test_a_publication_says_what_it_holds(world: World) -> None:
    """Rows as its job counted them, files and bytes as they lay there; also when it is gone."""
    world.job.counted = WriteFigures(rows=7)
    old = world.published()
    world.job.counted = WriteFigures(rows=9)
    world.published()
    world.sweep()
    assert old.version not in world.records()
    assert [(event.rows, event.bytes) for event in history(world)] == [(9, 4), (7, 4)]


def test_rows_that_were_added_in_place_are_not_passed_over(world: World) -> None:
    """An INSERT changes what a version holds, and not what was counted when it was published."""
    world.job.counted = WriteFigures(rows=7)
    world.published()
    live = world.published()
    world.storage.write(f"{version_of(live).directory}/part-inserted", "more")
    told = [(event.rows, event.changed_in_place) for event in history(world)]
    assert told == [(7, True), (7, False)]


def test_a_rollback_has_the_rows_of_the_version(world: World) -> None:
    """Nobody counts them again."""
    world.job.counted = WriteFigures(rows=7)
    world.published()
    world.job.counted = WriteFigures(rows=9)
    world.published()
    world.catalog().roll_back(CONTEXT)
    assert [event.rows for event in history(world)] == [7, 9, 7]


def test_what_may_have_been_published_is_listed_as_such(world: World) -> None:
    """A version from before a drop, of which nothing else is left; after what is proven."""
    old = world.published()
    drops_the_target(world)
    new = world.published()
    world.begun()
    told = [(event.version, event.state, event.commit) for event in history(world)]
    assert told[0][:2] == (new.version, "live")
    assert (old.version, "unproven", "") in told


def test_a_deleted_version_is_still_in_the_history(world: World) -> None:
    """What retention freed is said."""
    world.published()
    world.published()
    world.sweep()
    assert [e.state for e in history(world)] == ["live", "deleted"]


def test_the_bookkeeping_of_partitions_is_no_publication(world: World) -> None:
    """It publishes no version."""
    world.published("create_or_replace", "may")
    assert [e.kind for e in history(world)] == ["build"]


def test_a_table_of_others_has_no_history(world: World) -> None:
    """No marker, no publications."""
    world.metastore.tables[TARGET_NAME] = entry(TARGET_NAME)
    assert history(world) == ()


def test_a_schema_change_is_spelled_out(world: World) -> None:
    """Added, removed and changed columns, nested types by their kind."""
    columns = (
        described(id="long", name="string", gone="date"),
        described(id="string", name="string", tags={"type": "array"}),
    )
    for described_as in columns:
        record = version_of(world.published()).record
        found = world.metastore.tables[record]
        kept = {k: v for k, v in found.parameters.items() if not k.endswith("sources.schema")}
        parameters = {**kept, **described_as.parameters}
        world.metastore.tables[record] = replace(found, parameters=parameters)
    assert history(world)[0].schema_change == "+ tags array, - gone date, id: bigint -> string"
    same = columns_of(columns[0])
    assert change_of(same, same) == ""


def test_columns_without_sparks_schema_are_the_metastores() -> None:
    """A table that Hive wrote is described by its own columns."""
    plain = replace(entry(TARGET_NAME), columns=(("id", "bigint"),))
    assert columns_of(plain) == {"id": "bigint"}
