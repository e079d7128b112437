"""What a run asks of the metastore besides the CTAS of each model."""

from dataclasses import replace

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.staging.retention.rules import RetentionRules
from fakes.world import CONTEXT, World


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


def test_the_end_of_a_run_makes_two_calls_a_table_and_three_for_all() -> None:
    """Records and tables are read together; the new version and the one before it are noted."""
    world = World()
    targets = [TableName("shop", name) for name in ("orders", "lines", "stock")]
    contexts = [replace(CONTEXT, target=target) for target in targets]
    for context in contexts:
        world.published(target=context.target)
    last = [world.published(target=context.target).version for context in contexts]
    catalog = world.catalog()
    catalog.services(CONTEXT.staging_schema).roots.known(CONTEXT)  # each model has asked for these
    world.metastore.calls.clear()
    clean_up = catalog.clean_ups(contexts)
    for context, version in zip(contexts, last, strict=True):
        clean_up(context, RetentionRules(), counted={version: WriteFigures(rows=1)})
    assert world.metastore.calls == ["tables", "entries", "entries", *["alter_table"] * 6]
