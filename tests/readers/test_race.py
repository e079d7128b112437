"""Of rivals in other processes that commit at one moment, one wins each time."""

from pathlib import Path

import pytest

from readers.race import run_race
from readers.race_judge import judge_race
from readers.rival import Writers
from readers.tables import SharedTables
from servers.metastore_on_postgresql import running_metastore_on_postgresql

RIVALS = 3
ROUNDS = 3


@pytest.mark.long
def test_one_of_three_rivals_commits(tmp_path: Path) -> None:
    """Each base gets exactly one commit; who lost is told which version won, and when."""
    with running_metastore_on_postgresql(tmp_path / "server", tmp_path / "warehouse") as server:
        rounds = run_race(
            SharedTables(server.spark_conf()),
            Writers.STAGING,
            rivals=RIVALS,
            rounds=ROUNDS,
            directory=tmp_path,
        )
    assert judge_race(rounds) == []
    assert [len(one.losers) for one in rounds] == [RIVALS - 1] * ROUNDS
