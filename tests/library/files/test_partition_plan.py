"""Whether metastore or directories know a table's partitions: decided before any job."""

import pytest

from ctas_spark.context import (
    Atomicity,
    PartitionMetadata,
    StagingContext,
    TableLayout,
)
from ctas_spark.errors import AtomicityNotSupportedError, NotSupportedError
from ctas_spark.files.base import FileBase
from ctas_spark.files.reach import (
    NOW_LISTED,
    PartitionState,
    metastore_filters,
    plan_partitions,
)
from ctas_spark.metastore.client import VIEW
from ctas_spark.publish.locks import CommitLock, ProcessLock
from fakes.metastore import entry
from fakes.world import BY_MONTH, STAGING_SCHEMA, TARGET_NAME

AUTO, TRACKED, FILES = PartitionMetadata.AUTO, PartitionMetadata.TRACKED, PartitionMetadata.FILES
PENDING, LISTED = PartitionState.PENDING, PartitionState.FILES
DDL = {"transient_lastDdlTime": "9"}
PROVIDER = {**DDL, "spark.sql.partitionProvider": "catalog"}

ABSENT = FileBase(None)
IS_TRACKED = FileBase(entry(TARGET_NAME, partition_keys=("month",), parameters=PROVIDER))
IS_LISTED = FileBase(entry(TARGET_NAME, partition_keys=("month",), parameters=DDL))
BY_DAY = FileBase(entry(TARGET_NAME, partition_keys=("day",), parameters=PROVIDER))
PLAIN = FileBase(entry(TARGET_NAME, parameters=DDL))
A_VIEW = FileBase(entry(TARGET_NAME, table_type=VIEW, parameters=DDL))


def a_lock() -> CommitLock:
    """There is one."""
    return ProcessLock()


def no_lock() -> None:
    """There is none."""


def asks(
    asked: PartitionMetadata,
    atomicity: Atomicity = Atomicity.AUTO,
    layout: TableLayout = BY_MONTH,
) -> StagingContext:
    """What a model asks for."""
    return StagingContext(
        TARGET_NAME,
        STAGING_SCHEMA,
        atomicity=atomicity,
        layout=layout,
        partition_metadata=asked,
    )


@pytest.mark.parametrize(
    ("asked", "base", "becomes", "is_said"),
    [
        (AUTO, ABSENT, LISTED, ""),
        (AUTO, PLAIN, LISTED, "partition keys change from [] to ['month']"),
        (AUTO, IS_LISTED, LISTED, ""),
        (AUTO, A_VIEW, LISTED, ""),
        (AUTO, IS_TRACKED, PENDING, ""),
        (AUTO, BY_DAY, LISTED, "partition keys change from ['day'] to ['month']"),
        (FILES, ABSENT, LISTED, ""),
        (FILES, IS_LISTED, LISTED, ""),
        (FILES, IS_TRACKED, LISTED, NOW_LISTED),
        (FILES, BY_DAY, LISTED, "partition keys change"),
        (TRACKED, ABSENT, PENDING, ""),
        (TRACKED, A_VIEW, PENDING, ""),
        (TRACKED, IS_TRACKED, PENDING, ""),
        (TRACKED, IS_LISTED, PENDING, ""),
    ],
)
def test_a_tracked_table_stays_tracked_and_any_other_is_listed(
    asked: PartitionMetadata, base: FileBase, becomes: PartitionState, is_said: str
) -> None:
    """Unless the model says otherwise; what other engines lose is said."""
    plan = plan_partitions(asks(asked), Atomicity.ISOLATED, base, a_lock)
    assert plan.state is becomes
    assert is_said in plan.warning
    assert bool(plan.warning) is bool(is_said)


@pytest.mark.parametrize(
    ("asked", "base", "is_default"),
    [
        (AUTO, ABSENT, True),
        (AUTO, A_VIEW, True),
        (AUTO, IS_LISTED, False),
        (AUTO, IS_TRACKED, False),
        (FILES, ABSENT, False),
        (TRACKED, ABSENT, False),
    ],
)
def test_only_a_new_table_gets_what_nobody_has_chosen(
    asked: PartitionMetadata, base: FileBase, *, is_default: bool
) -> None:
    """So it is said once, when the table is made."""
    plan = plan_partitions(asks(asked), Atomicity.ISOLATED, base, a_lock)
    assert plan.is_default is is_default
    unpartitioned = asks(AUTO, layout=TableLayout())
    assert not plan_partitions(unpartitioned, Atomicity.ISOLATED, ABSENT, a_lock).is_default


@pytest.mark.parametrize("base", [PLAIN, BY_DAY])
def test_tracked_refuses_other_keys(base: FileBase) -> None:
    """No call changes those of Hive; the error names both ways out."""
    with pytest.raises(NotSupportedError, match="which no metastore call can do") as refused:
        plan_partitions(asks(TRACKED), Atomicity.ISOLATED, base, a_lock)
    assert "partition_metadata: files" in refused.value.remedy
    assert "drop the table first" in refused.value.remedy


def test_tracked_needs_a_lock() -> None:
    """By name it is an error; auto is listed then, and other engines' loss is said."""
    with pytest.raises(NotSupportedError, match="no lock tables"):
        plan_partitions(asks(TRACKED), Atomicity.ISOLATED, ABSENT, no_lock)
    plan = plan_partitions(asks(AUTO), Atomicity.ISOLATED, IS_TRACKED, no_lock)
    assert (plan.state, plan.warning) == (LISTED, NOW_LISTED)
    assert "other engines find no rows" in plan.warning


def test_tracked_and_isolated_by_name_contradict_each_other() -> None:
    """A session that resolved the table before would read the new version's partitions."""
    with pytest.raises(AtomicityNotSupportedError, match="resolved the table before"):
        plan_partitions(asks(TRACKED, Atomicity.ISOLATED), Atomicity.ISOLATED, ABSENT, a_lock)


def test_isolated_by_name_means_files() -> None:
    """Over a tracked table with the warning."""
    asked = asks(AUTO, Atomicity.ISOLATED)
    plan = plan_partitions(asked, Atomicity.ISOLATED, IS_TRACKED, a_lock)
    assert (plan.state, plan.warning) == (LISTED, NOW_LISTED)


def test_what_is_filled_in_place_is_not_tracked() -> None:
    """At level none there are no partitions when the version is published."""
    with pytest.raises(NotSupportedError, match="filled in place"):
        plan_partitions(asks(TRACKED), Atomicity.NONE, ABSENT, a_lock)
    assert plan_partitions(asks(AUTO), Atomicity.NONE, IS_TRACKED, a_lock).state is LISTED


@pytest.mark.parametrize(
    ("column", "filters"),
    [
        ("month", True),
        ("month_2", True),
        ("2024", True),
        ("_month", False),
        ("the month", False),
        ("größe", False),
    ],
)
def test_only_some_columns_can_be_filtered_by(column: str, *, filters: bool) -> None:
    """Spark's "where" on any other fails as soon as partitions are tracked."""
    assert metastore_filters(column) is filters
    layout = TableLayout(partition_by=(column,))
    asked = asks(TRACKED, layout=layout)
    if filters:
        assert plan_partitions(asked, Atomicity.ATOMIC, ABSENT, a_lock).state is PENDING
    else:
        with pytest.raises(NotSupportedError, match="can't filter"):
            plan_partitions(asked, Atomicity.ATOMIC, ABSENT, a_lock)


def test_a_table_without_partitions_asks_for_no_lock() -> None:
    """A server without lock tables is not asked for nothing."""

    def asked_for() -> CommitLock | None:
        raise AssertionError("asked for a lock")

    plain = asks(TRACKED, layout=TableLayout())
    assert plan_partitions(plain, Atomicity.ISOLATED, PLAIN, asked_for).state is LISTED
    assert plan_partitions(asks(FILES), Atomicity.ISOLATED, IS_TRACKED, asked_for).state is LISTED


def test_keys_are_compared_as_hive_writes_them() -> None:
    """In small letters."""
    asked = asks(AUTO, layout=TableLayout(partition_by=("Month",)))
    assert plan_partitions(asked, Atomicity.ISOLATED, IS_TRACKED, a_lock).state is PENDING


def test_a_table_that_is_not_partitioned_any_more_is_not_warned_of_listing() -> None:
    """That its keys stay in Hive's view is said instead."""
    plan = plan_partitions(asks(AUTO, layout=TableLayout()), Atomicity.ISOLATED, IS_TRACKED, a_lock)
    assert "partition keys change from ['month'] to []" in plan.warning
