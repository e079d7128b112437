"""What one call over a base keeps of the promise to readers and to other writers."""

from dataclasses import replace
from typing import Any

import pytest

from ctas_spark.context import Atomicity, PartitionMetadata, TableLayout
from ctas_spark.errors import AtomicityNotSupportedError
from ctas_spark.files.base import FileBase
from ctas_spark.files.reach import has_left
from ctas_spark.metastore.client import VIEW
from fakes.commits import commit, marker
from fakes.metastore import entry
from fakes.world import BY_MONTH, TARGET_NAME, Staged, World, version_of

ISOLATED = Atomicity.ISOLATED


@pytest.fixture
def mixing(world: World) -> World:
    """A remote one with a table, of which nobody says so."""
    world.published()
    world.repeatable_reads = False
    return world


def staged_with(world: World, schema: str, **changes: Any) -> Staged:
    """A version of another schema, as Spark reads it."""
    staged = world.begun(**changes)
    name = version_of(staged).record
    found = world.metastore.tables[name]
    parameters = {**found.parameters, "spark.sql.sources.schema": schema}
    world.metastore.tables[name] = replace(found, parameters=parameters)
    return staged


def test_a_creation_and_a_swap_are_isolated(world: World) -> None:
    """One call each, and compare-and-swap between writers."""
    for strategy in ("create", "swap"):
        ours = world.published()
        assert (ours.reach.strategy, ours.level, ours.reach.reader_window) == (
            strategy,
            ISOLATED,
            "none",
        )


def test_a_base_without_anything_to_expect_is_refused(world: World) -> None:
    """It is not overwritten blindly; the remedy gives it a time."""
    world.metastore.tables[TARGET_NAME] = entry(TARGET_NAME, parameters={})
    with pytest.raises(AtomicityNotSupportedError, match="transient_lastDdlTime") as refused:
        world.plan().begin()
    assert "ALTER TABLE" in refused.value.remedy


def test_a_base_without_anything_to_expect_is_kept_all_the_same(world: World) -> None:
    """create_if_not_exists makes no call."""
    world.metastore.tables[TARGET_NAME] = entry(TARGET_NAME, parameters={})
    assert world.plan("create_if_not_exists").begin().outcome is not None


def test_under_a_lock_nothing_has_to_be_expected() -> None:
    """The metastore does not compare anyway."""
    world = World(single_process=True)
    world.metastore.compares = False
    world.metastore.tables[TARGET_NAME] = entry(TARGET_NAME, parameters={})
    assert world.published().reach.strategy == "swap"


def test_tracked_partitions_are_atomic_with_a_mixed_window(world: World) -> None:
    """Nothing weakens silently: what is missing is in the reach."""
    world.published("create_or_replace", "may")
    ours = world.begun("create_or_replace", "june")
    assert (ours.level, ours.reach.reader_window) == (Atomicity.ATOMIC, "mixed")
    assert "with the old schema" in ours.reach.missing


def test_a_change_of_schema_is_atomic_where_reads_may_mix(mixing: World) -> None:
    """It is known once the version is staged; the window is in the result."""
    ours = staged_with(mixing, '{"fields":["new"]}')
    assert ours.level is ISOLATED
    ours.commit()
    assert (ours.level, ours.reach.reader_window) == (Atomicity.ATOMIC, "mixed")
    assert mixing.metastore.tables[TARGET_NAME].parameters["ctas_spark_level"] == "atomic"


def test_the_same_schema_is_isolated_where_reads_may_mix(mixing: World) -> None:
    """A read that mixes both versions is one of them."""
    ours = mixing.published()
    assert (ours.level, ours.reach.reader_window) == (ISOLATED, "none")


@pytest.mark.parametrize(
    "layout", [TableLayout(file_format="orc"), TableLayout(partition_by=("month",))]
)
def test_another_format_or_partitioning_is_atomic_where_reads_may_mix(
    mixing: World, layout: TableLayout
) -> None:
    """That is known before the job: isolated by name is refused there."""
    begun = mixing.plan(layout=layout).begin()
    assert (begun.level, begun.reach.reader_window) == (Atomicity.ATOMIC, "mixed")
    with pytest.raises(AtomicityNotSupportedError, match="may mix two versions") as refused:
        mixing.plan(layout=layout, atomicity=ISOLATED).begin()
    assert "metastore_reads: repeatable" in refused.value.remedy
    assert "no job was started" in refused.value.left


def test_isolated_by_name_is_refused_before_the_call_if_the_schema_changes(mixing: World) -> None:
    """The schema is not known earlier; the version is removed."""
    before = mixing.metastore.tables[TARGET_NAME]
    ours = staged_with(mixing, '{"fields":["new"]}', atomicity=ISOLATED)
    with pytest.raises(AtomicityNotSupportedError, match="may mix two versions"):
        ours.commit()
    ours.abort("refused")
    assert mixing.metastore.tables[TARGET_NAME] is before
    assert ours.version not in mixing.versions_on_storage()


def test_a_view_is_replaced_at_atomic_where_reads_may_mix(mixing: World) -> None:
    """A view has another schema, whatever it says."""
    view = entry(TARGET_NAME, table_type=VIEW)
    mixing.metastore.tables[TARGET_NAME] = view
    assert mixing.plan().begin().level is Atomicity.ATOMIC


def test_a_creation_is_isolated_where_reads_may_mix(world: World) -> None:
    """There is nothing to mix it with."""
    world.repeatable_reads = False
    assert world.published().level is ISOLATED


def test_repeatable_reads_are_isolated_whatever_changes(world: World) -> None:
    """One get_table is one version there."""
    world.published()
    ours = staged_with(world, '{"fields":["new"]}', atomicity=ISOLATED)
    ours.commit()
    assert ours.level is ISOLATED


def test_a_metastore_of_one_process_never_mixes() -> None:
    """Nobody reads it from outside."""
    world = World(single_process=True)
    world.repeatable_reads = False
    world.published()
    assert world.plan(layout=TableLayout(file_format="orc")).begin().level is ISOLATED


def test_less_than_the_last_publication_is_warned_of(
    mixing: World, caplog: pytest.LogCaptureFixture
) -> None:
    """Its readers relied on it."""
    mixing.plan(layout=TableLayout(file_format="orc")).begin()
    assert "was last published at atomicity isolated, and is now at atomic" in caplog.text


def test_a_listed_table_that_was_tracked_is_warned_of(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    """The publication is isolated again, and other engines lose their partitions."""
    world.published("create_or_replace", "may")
    ours = world.plan(layout=BY_MONTH, partition_metadata=PartitionMetadata.FILES).begin()
    assert (ours.level, ours.partition_metadata) == (ISOLATED, "files")
    assert "SHOW PARTITIONS is refused" in caplog.text


def test_a_catalog_with_neither_check_nor_lock_reaches_atomic(world: World) -> None:
    """isolated by name is refused before anything is looked at."""
    world.metastore.compares = world.metastore.has_locks = False
    with pytest.raises(AtomicityNotSupportedError, match="HIVE-26882"):
        world.plan(atomicity=ISOLATED)
    assert world.published().level is Atomicity.ATOMIC


def marked(*orders: int, life: int = 1) -> FileBase:
    """A target with a marker, whose publications stand newest first."""
    commits = [commit(order, "v") for order in orders]
    ours = marker(str(TARGET_NAME), *commits, life=commit(life, "v"))
    return FileBase(entry(TARGET_NAME, location="file:/w/v", parameters=ours.to_parameters()))


PLAIN = FileBase(entry(TARGET_NAME))


@pytest.mark.parametrize(
    ("base", "after", "left"),
    [
        (marked(1), marked(2, 1), True),
        (marked(1), marked(3, 2, 1), True),
        (marked(1), marked(1), False),
        (marked(1), marked(3, 2), False),
        (marked(1), PLAIN, False),
        (marked(1), FileBase(None), False),
        (PLAIN, marked(1), True),
        (PLAIN, marked(3, 2), False),
        (PLAIN, PLAIN, False),
        (FileBase(None), marked(1), False),
    ],
)
def test_a_base_is_left_only_where_the_lineage_shows_it(
    base: FileBase, after: FileBase, *, left: bool
) -> None:
    """A list that was cut before it proves nothing, and nothing refuses a creation's request."""
    assert has_left(base, after) is left


def test_a_level_that_is_lower_only_at_the_commit_is_said(
    mixing: World, caplog: pytest.LogCaptureFixture
) -> None:
    """Begin can't know that the query's columns are others."""
    ours = staged_with(mixing, "other")
    caplog.clear()
    ours.commit()
    assert ours.level is Atomicity.ATOMIC
    assert "was last published at atomicity isolated, and is now at atomic" in caplog.text
