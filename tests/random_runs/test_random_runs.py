"""A short soak; `bench/soak.py` is the long one."""

from pathlib import Path

import pytest

from random_runs.judge import figures, judged
from random_runs.life import Limits, live
from servers.metastore import running_metastore

RUNS = 2
SEED = 20


@pytest.mark.long
def test_nothing_is_lost_while_runs_end_at_random(tmp_path: Path) -> None:
    """Runs race, some are killed or signalled, a reader reads: every promise holds."""
    with running_metastore(tmp_path / "metastore", tmp_path / "warehouse") as server:
        life = live(server, "ctas_spark", Limits(0, RUNS, readers=1, seed=SEED), tmp_path)
    assert judged(life) == [], figures(life)
    assert len(life.runs) == RUNS + 2
    assert len(life.published) >= 2
    assert life.reads
