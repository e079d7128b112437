"""Partition keys that change: Hive keeps the old ones, as no metastore call changes them."""

from dataclasses import replace

import pytest

from ctas_spark.context import Atomicity, PartitionMetadata, TableLayout
from ctas_spark.errors import (
    NotSupportedError,
)
from ctas_spark.publish.version import Outcome
from fakes.world import BY_MONTH, World, version_of

FILES, TRACKED = PartitionMetadata.FILES, PartitionMetadata.TRACKED


def test_changed_partition_keys_are_one_call_that_keeps_hives(
    caplog: pytest.LogCaptureFixture,
) -> None:
    """With partition_metadata files, isolated, and with a warning before the job."""
    world = World()
    world.published()
    ours = world.plan(layout=BY_MONTH, partition_metadata=FILES).begin()
    assert "its partition keys change from [] to ['month']" in caplog.text
    world.stage(ours, "may")
    ours.verify()
    world.metastore.calls.clear()
    ours.commit()
    assert (ours.level, ours.reach.strategy) == (Atomicity.ISOLATED, "swap")
    assert (world.target.partition_keys, world.target.partition_columns) == ((), ("month",))
    assert world.metastore.calls.count("alter_table") == 1
    assert not {"create_table", "rename_table", "drop_entry"} & set(world.metastore.calls)


def keyed() -> World:
    """A table that is partitioned by month, for Hive too."""
    world = World()
    world.published("create_or_replace", "may", partition_metadata=FILES)
    assert world.target.partition_keys == ("month",)
    return world


def test_other_keys_are_warned_about_and_kept(caplog: pytest.LogCaptureFixture) -> None:
    """Hive's own view of the table has the old ones as long as it is not dropped."""
    world = keyed()
    by_day = TableLayout(partition_by=("day",))
    ours = world.published("create_or_replace", "1", layout=by_day, partition_metadata=FILES)
    assert "its partition keys change from ['month'] to ['day']" in caplog.text
    assert (ours.outcome, world.target.partition_keys) == (Outcome.COMMITTED, ("month",))
    assert world.target.partition_columns == ("day",)


@pytest.mark.parametrize("layout", [TableLayout(partition_by=("day",)), BY_MONTH])
def test_tracked_refuses_other_keys_and_names_the_ways_out(layout: TableLayout) -> None:
    """Before any job: no metastore call changes Hive's keys."""
    world = World()
    if layout is BY_MONTH:
        world.published()
    else:
        world = keyed()
    with pytest.raises(NotSupportedError, match="partition keys change") as refused:
        world.plan(layout=layout, partition_metadata=TRACKED).begin()
    assert "partition_metadata: files" in refused.value.remedy
    assert "drop the table" in refused.value.remedy


def test_kept_keys_force_files_from_then_on() -> None:
    """Also for auto over a table whose partitions were tracked."""
    world = World()
    world.published("create_or_replace", "may")
    by_day = TableLayout(partition_by=("day",))
    auto = {"layout": by_day, "partition_metadata": PartitionMetadata.AUTO}
    first = world.published("create_or_replace", "1", **auto)
    second = world.published("create_or_replace", "2", **auto)
    assert [one.partition_metadata for one in (first, second)] == ["files", "files"]
    with pytest.raises(NotSupportedError, match="partition keys change"):
        world.plan(layout=by_day, partition_metadata=TRACKED).begin()


def test_a_column_named_like_a_kept_key_is_left_out_of_hives() -> None:
    """An entry can't have a name both as key and as column."""
    world = keyed()
    ours = world.begun(layout=TableLayout(), partition_metadata=FILES)
    name = version_of(ours).record
    both = (("id", "bigint"), ("month", "string"))
    world.metastore.tables[name] = replace(world.metastore.tables[name], columns=both)
    ours.commit()
    ours.settle()
    assert world.target.partition_keys == ("month",)
    assert world.target.columns == (("id", "bigint"),)
