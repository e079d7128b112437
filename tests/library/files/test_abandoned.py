"""What a table has left that no model builds any more: it is found by its records, and goes."""

from dataclasses import replace

from ctas_spark.context import StagingContext, TableLayout, TableName
from ctas_spark.retention.rules import Reason, RetentionRules, Sweep
from fakes.world import CONTEXT, STAGING_SCHEMA, TARGET_NAME, World, killed, version_of

VACUUM = RetentionRules(thorough=True)


def vacuum(world: World, *, dry_run: bool = False) -> dict[str, Sweep]:
    """What a vacuum of a project without the table makes of it, by the table's name."""
    catalog = world.catalog()
    found = catalog.abandoned(CONTEXT, known=[TableName("shop", "customers")])
    return {
        str(one): catalog.begin_clean_up_abandoned(
            StagingContext(one, STAGING_SCHEMA), VACUUM, dry_run=dry_run
        )()
        for one in found
    }


def test_a_known_table_is_not_abandoned(world: World) -> None:
    """Names are compared in small letters, as metastores list them."""
    world.published()
    assert world.catalog().abandoned(CONTEXT, known=[TableName("SHOP", "Orders")]) == ()


def test_a_table_that_still_shows_a_version_keeps_all(world: World) -> None:
    """It may be another project's, and what that keeps is not known here."""
    world.published()
    live = world.published()
    before = world.versions_on_storage()
    world.grow_old()
    assert vacuum(world)[str(TARGET_NAME)].kept == {live.version: Reason.ABANDONED}
    assert world.versions_on_storage() == before


def test_what_a_dropped_table_has_left_goes_past_the_grace(world: World) -> None:
    """Files, records and directory; its own versions_to_keep went with its model."""
    versions = [world.published(), world.published()]
    world.metastore.tables.pop(TARGET_NAME)
    vacuum(world)  # notes that it is gone
    assert len(world.versions_on_storage()) == 2
    world.grow_old()
    planned = vacuum(world, dry_run=True)[str(TARGET_NAME)]
    assert sorted(planned.freed) == sorted(version_of(one).directory for one in versions)
    assert len(world.versions_on_storage()) == 2
    vacuum(world)
    assert world.versions_on_storage() == set()
    assert world.records() == set()
    root = version_of(versions[0]).directory.rpartition("/")[0]
    assert root not in world.storage.permissions
    assert vacuum(world) == {}


def test_the_versions_of_a_model_that_became_a_view_go(world: World) -> None:
    """Its table's entry is the view's now."""
    world.published()
    gone = world.metastore.tables[TARGET_NAME]
    view = replace(gone, table_type="VIRTUAL_VIEW", location=None, parameters={})
    world.metastore.tables[TARGET_NAME] = view
    vacuum(world)
    world.grow_old()
    vacuum(world)
    assert world.versions_on_storage() == set()
    assert world.metastore.tables[TARGET_NAME] == view


def test_what_a_killed_job_of_a_removed_model_has_left_goes(world: World) -> None:
    """There is a directory, and no record."""
    dead = world.plan().begin()
    dead.statement("select 1")
    world.storage.write(f"{version_of(dead).directory}/part-0.parquet", "rows")
    for _ in range(3):
        world.grow_old()
        vacuum(world)
    assert world.versions_on_storage() == set()


def test_records_of_a_schema_that_is_gone_go(world: World) -> None:
    """As of a schema that CI had for a pull request: its directory went with it."""
    world.published()
    world.metastore.tables.pop(TARGET_NAME)
    del world.metastore.databases["shop"]
    vacuum(world)
    world.grow_old()
    vacuum(world)
    assert world.records() == set()


def test_the_staging_schema_goes_after_the_schema_that_it_was_for(world: World) -> None:
    """Once it holds no record; and the directories that are elsewhere."""
    root = TableLayout(location_root="file:/mnt/ci")
    world.published(layout=root)
    catalog = world.catalog()
    assert not catalog.forget_staging_schema(CONTEXT)
    world.metastore.tables.pop(TARGET_NAME)
    del world.metastore.databases["shop"]
    assert not catalog.forget_staging_schema(CONTEXT)
    vacuum(world)
    world.grow_old()
    vacuum(world)
    assert catalog.forget_staging_schema(CONTEXT)
    assert world.engine.statements[-1] == f"DROP SCHEMA `spark_catalog`.`{STAGING_SCHEMA}`"
    assert not world.metastore.tables
    assert not world.storage.texts


def test_a_vacuum_that_dies_is_finished_by_the_next(world: World) -> None:
    """As for a table that has a model."""
    world.published()
    world.metastore.tables.pop(TARGET_NAME)
    vacuum(world)
    world.grow_old()
    with killed(world.metastore, "drop_entry"):
        vacuum(world)
    vacuum(world)
    assert world.records() == set()


def test_a_staging_schema_that_is_not_there_has_nothing(world: World) -> None:
    """It is not made for the question."""
    context = replace(CONTEXT, staging_schema="nowhere")
    assert world.catalog().abandoned(context, known=[]) == ()
    assert "nowhere" not in world.metastore.databases


def test_a_directory_without_a_tables_name_is_no_table(world: World) -> None:
    """Somebody may have put anything there."""
    tree = version_of(world.published()).directory.rpartition("/shop.orders")[0]
    world.storage.write(f"{tree}/notes/file", "")
    assert world.catalog().abandoned(CONTEXT, known=[TARGET_NAME]) == ()
