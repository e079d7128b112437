"""What a run works with, shared by its threads."""

from fakes.world import CONTEXT, World

ROOT = "file:/warehouse/shop.db/ctas-spark/s1/shop.orders"


def test_a_storage_is_asked_for_its_time_once_for_a_tree() -> None:
    """Our own clock carries it on, so that a clock that was set back changes nothing."""
    world = World()
    world.storage.skew_ms = 7_000
    services = world.catalog().services(CONTEXT.staging_schema)
    began = services.now_ms(ROOT)
    assert began == world.clock.wall + 7_000
    world.clock.running += 500
    world.clock.wall -= 60_000
    world.storage.skew_ms = 0
    assert services.now_ms(f"{ROOT}2") == began + 500


def test_every_tree_has_a_clock_of_its_own() -> None:
    """Two storages need not agree."""
    world = World()
    services = world.catalog().services(CONTEXT.staging_schema)
    near = services.now_ms(ROOT)
    world.storage.skew_ms = 90_000
    assert services.now_ms("s3a://bucket/ctas-spark/s1/shop.orders") == near + 90_000


def test_a_run_has_one_set_of_services_for_a_staging_schema() -> None:
    """Whether the metastore compares is probed once."""
    world = World()
    catalog = world.catalog()
    assert catalog.services("shop__ctas_spark") is catalog.services("shop__ctas_spark")
    catalog.capabilities("shop__ctas_spark")
    assert sum(call.startswith("probe") for call in world.metastore.calls) == 1
