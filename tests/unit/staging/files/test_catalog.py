"""What the session catalog takes on, before anything of a target is looked at."""

import pytest

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import StagingError
from fakes.world import World


def test_a_table_of_another_catalog_is_not_taken_for_its_namesake() -> None:
    """It is refused before the metastore is asked for anything, with what to do instead."""
    world = World()
    with pytest.raises(StagingError, match="in spark_catalog only") as refused:
        world.table(target=TableName("shop", "orders", "ice"))
    error = refused.value
    assert (str(error.table), error.left) == (
        "ice.shop.orders",
        "it is unchanged; no job was started",
    )
    assert "spark_catalog" in error.remedy
    assert world.metastore.calls == []
