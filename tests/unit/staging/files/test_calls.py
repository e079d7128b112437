"""What a plain rebuild asks of the metastore besides its CTAS."""

from fakes.world import World


def test_a_plain_rebuild_makes_five_calls_of_the_metastore() -> None:
    """The target at begin; the target and the record before the call; the call; the target."""
    world = World()
    catalog = world.catalog()

    def rebuild() -> None:
        staged = catalog.plan(world.context(), world.job).begin()
        world.stage(staged)
        staged.verify()
        staged.commit()
        staged.settle()

    rebuild()
    rebuild()
    world.metastore.calls.clear()
    rebuild()
    reads = ["get_table", "get_table", "get_table"]
    assert world.metastore.calls == [*reads, "alter_table", "get_table"]
