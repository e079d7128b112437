"""kill -9 of a run over a Delta or Iceberg table, the least of what bench/kills.py does."""

from pathlib import Path

import pytest

from dbt.adapters.ctas_spark.staging.steps import Step
from faults.kill_places import FORMATS
from faults.kill_points import Build, Layout, Point
from faults.kills import kills


@pytest.mark.parametrize("table", ["delta", "iceberg-jdbc"])
def test_a_run_that_is_killed_before_its_commit_leaves_the_old_table(
    table: str, tmp_path: Path
) -> None:
    """And what it had staged goes with the next run."""
    point = Point(Step.COMMIT, "entered")
    with FORMATS[table](tmp_path) as place:
        (killed,) = kills(place, Layout.UNPARTITIONED, Build.REBUILD, [point])
    assert killed.aftermath.violations == []
