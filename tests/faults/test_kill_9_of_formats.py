"""kill -9 of a run over a format's table, the least of what bench/kills.py does."""

from pathlib import Path

import pytest

from ctas_spark.steps import Step
from faults.kill_places import FORMATS
from faults.kill_points import Build, Layout, Point
from faults.kills import kills


@pytest.mark.long
def test_a_run_that_is_killed_before_its_commit_leaves_the_old_table(tmp_path: Path) -> None:
    """And what it had staged goes with a vacuum after the next run."""
    point = Point(Step.COMMIT, "entered")
    with FORMATS["iceberg-jdbc"](tmp_path) as place:
        (killed,) = kills(place, Layout.UNPARTITIONED, Build.REBUILD, [point])
    assert killed.aftermath.violations == []
