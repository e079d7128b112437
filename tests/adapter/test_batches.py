"""What a microbatch model replaces: the rows of its batch, and never more."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from ctas_spark.errors import ConfigurationError
from dbt.adapters.ctas_spark import batches, increments, old_rows
from dbt.adapters.ctas_spark.batches import Batch

BATCH = Batch("at", "day", "2026-01-02 00:00:00+00:00", "2026-01-03 00:00:00+00:00")
IN_BATCH = (
    "DBT_INTERNAL_DEST.`at` >= '2026-01-02 00:00:00+00:00' AND "
    "DBT_INTERNAL_DEST.`at` < '2026-01-03 00:00:00+00:00'"
)
COLUMNS = {"id": "int", "at": "timestamp", "d": "date"}
CONFIG = {"incremental_strategy": "microbatch", "partition_by": "d", "event_time": "at"}


def test_a_batch_is_that_of_dbts_filters() -> None:
    """With the same texts, so that a row of the table is in it if its input row was."""
    context = SimpleNamespace(
        event_time_start="2026-01-02 00:00:00+00:00", event_time_end="2026-01-03 00:00:00+00:00"
    )
    config = {"event_time": "`at`", "batch_size": SimpleNamespace(value="day")}
    assert Batch.of(SimpleNamespace(batch=context, config=config)) == BATCH
    assert Batch.of(SimpleNamespace(batch=None, config=config)) is None


def test_a_version_keeps_the_rows_of_other_batches() -> None:
    """Whatever partitions they are in; a row without event_time is of no batch."""
    made = old_rows.with_new("m", CONFIG, ("t", COLUMNS), ("n", COLUMNS), BATCH)
    assert f"FROM t AS DBT_INTERNAL_DEST WHERE NOT coalesce({IN_BATCH}, FALSE) UNION ALL" in made
    assert "PARTITION BY" not in made


def test_a_row_outside_its_batch_fails() -> None:
    """The next run of the batch would add it once more."""
    values = BATCH.guarded({"AT": "v", "id": "w"})
    assert values["id"] == "w"
    assert "THEN raise_error('microbatch: the model\\'s query returned a row whose at" in str(
        values["AT"]
    )


def test_a_first_batch_has_no_row_of_another() -> None:
    """Its columns stay what they are, and in their order."""
    made = BATCH.only("SELECT 1 -- all", ["id", "at"])
    assert made.startswith(
        "SELECT DBT_INTERNAL_SOURCE.`id` AS `id`, CASE WHEN NOT coalesce(DBT_INTERNAL_SOURCE.`at`"
    )
    assert made.endswith(
        "ELSE DBT_INTERNAL_SOURCE.`at` END AS `at` FROM (SELECT 1 -- all\n) AS DBT_INTERNAL_SOURCE"
    )


def test_a_table_without_event_time_is_refused() -> None:
    """Before any job; by its name, and by which of the two lacks it."""
    with pytest.raises(ConfigurationError, match="there is no column at in the model's rows"):
        old_rows.with_new("m", CONFIG, ("t", COLUMNS), ("n", {"id": "int", "d": "date"}), BATCH)


@pytest.mark.parametrize(
    ("partition_by", "expected"),
    [
        (["days(at)"], True),
        ("hours(AT), bucket(2, id)", True),
        (["bucket(2, id)", "date(`at`)"], True),
        (["months(at)"], False),
        (["days(other)"], False),
        (["d"], False),
    ],
)
def test_transforms_of_event_time_keep_a_partition_in_a_batch(
    partition_by: Any, expected: object
) -> None:
    """If they are not coarser than it: Iceberg's are in UTC, as batches are."""
    assert batches.is_within(partition_by, "at", "day") is expected


def test_partitions_of_several_batches_are_refused() -> None:
    """If the transforms say so by themselves; else the rows that are there decide."""
    config = {"event_time": "at", "batch_size": "day", "partition_by": ["months(at)"]}
    (told,) = batches.problems(config)
    assert "write days(at)" in told
    assert not [*batches.problems({**config, "partition_by": ["months(at)", "d"]})]
    assert not [*batches.problems({**config, "partition_by": "days(at)"})]
    assert increments.MICROBATCH == "microbatch"


def test_partitions_are_asked_for_other_batches_rows() -> None:
    """By one row for each partition, so that the new rows are read once."""
    join = BATCH.with_partitions("t", {"d": "s.`D`"}, are_directories=False)
    assert join.startswith("LEFT JOIN (SELECT `d` AS `d`, bool_or(NOT coalesce(`at` >= ")
    assert join.endswith("GROUP BY `d`) AS DBT_INTERNAL_DEST ON DBT_INTERNAL_DEST.`d` <=> s.`D`")
    told = BATCH.shared(["d"])
    assert "date_trunc(\\'day\\', to_utc_timestamp(at, current_timezone()))" in told


def test_partitions_of_files_are_told_apart_by_their_directories() -> None:
    """Two values of one text are one, such as the two hours for which clocks show the same."""
    join = BATCH.with_partitions("t", {"d": "s.d"}, are_directories=True)
    of_table, of_row = batches.directory("`d`"), batches.directory("s.d")
    assert of_table == "nullif(CAST(`d` AS STRING), '')"
    assert f"LEFT JOIN (SELECT {of_table} AS `d`, " in join
    assert f"GROUP BY {of_table})" in join
    assert join.endswith(f"DBT_INTERNAL_DEST.`d` <=> {of_row}")


def test_the_edges_of_a_batch_are_the_instants_at_both_sides_of_its_bounds() -> None:
    """A partition of two of them holds rows of two batches."""
    texts = [str(one.time()) for one in BATCH.edges]
    assert texts == ["23:59:59.999999", "00:00:00", "23:59:59.999999", "00:00:00"]
    assert [one.day for one in BATCH.edges] == [1, 2, 2, 3]


@pytest.mark.parametrize(
    ("size", "start", "following"),
    [
        ("hour", "2026-01-02 03:00:00+00:00", "2026-01-02 04:00:00+00:00"),
        ("day", "2026-01-31 00:00:00+00:00", "2026-02-01 00:00:00+00:00"),
        ("month", "2026-12-01 00:00:00+00:00", "2027-01-01 00:00:00+00:00"),
        ("year", "2026-01-01 00:00:00+00:00", "2027-01-01 00:00:00+00:00"),
    ],
)
def test_a_batch_that_ends_now_has_the_edges_of_the_whole_one(
    size: str, start: str, following: str
) -> None:
    """Else the partition of its day would have rows of another batch: its own, at a later run."""
    cut = replace(BATCH, size=size, start=start, end=start.replace("00:00+", "00:01+"))
    assert str(cut.edges[-1]) == following


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({}, "d"),
        ({"atomicity": "none"}, "d"),
        ({"atomicity": "atomic"}, None),
        ({"file_format": "delta"}, None),
        ({"file_format": "iceberg", "atomicity": "atomic"}, "d"),
        ({"file_format": "iceberg", "partition_by": ["days(at)", "d"]}, None),
    ],
)
def test_what_the_batches_of_a_new_table_overwrite(
    config: dict[str, Any], expected: object
) -> None:
    """Nothing but rows in Delta, in versions, and where a transform keeps partitions in a batch."""
    assert batches.overwritten({**CONFIG, **config}, BATCH) == expected


def test_partition_columns_are_known_by_their_names() -> None:
    """With or without backticks; transforms are none."""
    assert batches.columns_of(["`order`", "d", "days(at)"]) == ["order", "d"]
