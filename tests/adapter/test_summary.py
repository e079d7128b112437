"""The table at the end of a run: what is known of each table, and nothing else."""

import re
from typing import Any

from ctas_spark.context import Atomicity
from ctas_spark.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.summary import MOST_ROWS, Written, summary

VERSION = "20260101t120000x0a1b2c3d"


def published(name: str, level: Atomicity = Atomicity.ISOLATED, **fields: Any) -> Written:
    """A model that is published as a version."""
    figures = WriteFigures(rows=1_234_567, files=3, bytes=1_250_000)
    shown = {"figures": figures, "seconds": 12.34, "version": VERSION, "level": level}
    return Written(f"model.shop.{name}", name, **{**shown, **fields})


def written(name: str, rows: int | None = 5, size: int | None = None, took: float = 1.0) -> Written:
    """A seed or an incremental model."""
    return Written(f"seed.shop.{name}", name, WriteFigures(rows=rows, bytes=size), took)


def test_every_table_has_a_row() -> None:
    """Numbers stand at the right; what nobody knows is an empty cell."""
    tables = [published("orders"), written("codes", took=0.51), written("merged", None)]
    assert summary(tables) == (
        "Tables written by this run:\n"
        "| model  | version                  |      rows |   size | seconds |\n"
        "| ------ | ------------------------ | --------- | ------ | ------- |\n"
        "| orders | 20260101t120000x0a1b2c3d | 1,234,567 | 1.2 MB |    12.3 |\n"
        "| codes  |                          |         5 |        |     0.5 |\n"
        "| merged |                          |           |        |     1.0 |"
    )


def test_a_column_of_which_nothing_is_known_is_left_out() -> None:
    """A run of seeds has no versions, and no sizes."""
    assert summary([written("codes")]) == (
        "Tables written by this run:\n"
        "| model | rows | seconds |\n"
        "| ----- | ---- | ------- |\n"
        "| codes |    5 |     1.0 |"
    )


def test_levels_are_shown_if_one_is_less_than_isolated() -> None:
    """A table that is not published as a version has none."""
    shown = summary([published("a"), published("b", Atomicity.ATOMIC), written("codes")])
    cells = [[cell.strip() for cell in line.split("|")] for line in shown.splitlines()[1:]]
    assert [row[5] for row in cells if not row[1].startswith("-")] == [
        "level",
        "isolated",
        "atomic",
        "",
    ]


def test_what_was_written_in_place_is_said_with_what_would_change_that() -> None:
    """One line, whatever the number of tables; none where every table is a version."""
    shown = summary([published("a"), written("b"), published("c", Atomicity.NONE)])
    assert shown.splitlines()[-1] == (
        "Tables at level none were written in place; with atomicity: isolated, one commit "
        "publishes all rows."
    )
    assert summary([published("a", Atomicity.ATOMIC)]).splitlines()[-1].startswith("| a ")


def test_a_new_table_whose_partitions_are_sparks_alone_is_said_once() -> None:
    """One line names some of them, and the config that other engines need."""
    names = ["a", "b", "c", "d", "e"]
    shown = summary([published(one, hides_partitions=True) for one in names])
    assert shown.splitlines()[-1] == (
        "Spark finds the partitions of a, b, c, 2 more by listing directories; other engines, "
        "which ask the metastore for them, find no rows. If some read it, set "
        "partition_metadata: tracked."
    )
    assert "find no rows" not in summary([published("a")])


def test_batches_of_one_model_are_one_row() -> None:
    """Rows and bytes are summed, unless those of one batch are not known."""
    shown = summary([written("a", 5, 10), written("b"), written("a", 7, 11), written("b", None)])
    assert [re.split(r" *\| *", line)[1:-1] for line in shown.splitlines()[3:]] == [
        ["a", "12", "21 B", "2.0"],
        ["b", "", "", "2.0"],
    ]


def test_batches_have_the_weakest_level_of_theirs() -> None:
    """One that was written in place is not hidden by those that were published."""
    batches = [published("events"), published("events", Atomicity.NONE), written("codes")]
    assert "| none  |" in summary(batches)


def test_sizes_are_in_the_largest_unit() -> None:
    """Of a thousand each; bytes have no fraction."""
    sizes = [0, 999, 1_000, 999_949, 999_950, 5_400_000_000, 10**18]
    shown = summary([written(str(size), 1, size) for size in sizes])
    assert [line.split("|")[3].strip() for line in shown.splitlines()[3:]] == [
        "0 B",
        "999 B",
        "1.0 KB",
        "999.9 KB",
        "1.0 MB",
        "5.4 GB",
        "1000.0 PB",
    ]


def test_of_a_large_project_the_slowest_are_shown() -> None:
    """In the order in which they ended; the heading says how many there are, and where."""
    tables = [written(f"t{number}", took=number % 50) for number in range(1_000)]
    heading, _, _, *rows = summary(tables).splitlines()
    assert heading == (
        f"Tables written by this run, the {MOST_ROWS} of 1,000 that took longest "
        "(all are in run_results.json):"
    )
    names = [row.split()[1] for row in rows]
    assert len(names) == MOST_ROWS
    assert names[:3] == ["t48", "t49", "t98"]
