"""A table is maintained, read and rebuilt at the same time, and a build of it is killed."""

from pathlib import Path

import pytest

from readers.maintained import live
from readers.maintainer import STATEMENTS
from readers.tables import Choice, shared_tables
from servers.metastore import running_metastore

COMMITS = 4


@pytest.mark.long
def test_maintenance_fails_no_model_and_no_read(tmp_path: Path) -> None:
    """Nor does it lose a version that the table keeps; `bench/maintenance.py` does more of it."""
    with (
        running_metastore(tmp_path / "server", tmp_path / "warehouse") as server,
        shared_tables(Choice.ICEBERG_JDBC, server, tmp_path) as tables,
    ):
        life = live(tables, tmp_path, commits=COMMITS, kills=1)
    assert not life.violations, "\n".join(life.violations)
    assert len(life.commits) > COMMITS
    assert len(life.killed) == 1
    assert life.verdict.reads > COMMITS
    assert life.whole > 0
    assert len(life.maintained) == len(STATEMENTS["iceberg"])
