"""Readers in other processes see whole versions only, while every build changes the schema."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from readers.reader import Mode
from readers.tables import Choice, SharedTables, shared_tables
from readers.trial import run_trial
from servers.metastore import Metastore, running_metastore
from servers.metastore_on_postgresql import WHOLE_READS

READS = 100
COMMITS = 10


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Metastore]:
    """A remote metastore for all tests here."""
    directory = tmp_path_factory.mktemp("metastore")
    with running_metastore(directory / "server", directory / "warehouse", WHOLE_READS) as server:
        yield server


def test_no_read_fails_or_mixes(server: Metastore, tmp_path: Path) -> None:
    """0 of 100 reads over 10 commits fail; fresh readers see every commit, stale ones keep one."""
    trial = run_trial(
        SharedTables(server.spark_conf()),
        [[Mode.FRESH], [Mode.STALE]],
        reads=READS,
        commits=COMMITS,
        directory=tmp_path,
    )
    assert trial.fresh.violations == ()
    assert trial.stale.violations == ()
    assert len(trial.commits) > COMMITS
    assert trial.reads >= READS
    assert set(trial.fresh.versions) >= set(range(2, 2 + COMMITS))
    assert trial.stale.versions == (1,)


def test_no_read_of_an_iceberg_table_fails_or_mixes(server: Metastore, tmp_path: Path) -> None:
    """In a session that has Delta, too; `bench/many_reads.py` has the other catalogs, and Delta."""
    with shared_tables(Choice.ICEBERG_JDBC, server, tmp_path) as tables:
        trial = run_trial(
            tables, [[Mode.FRESH, Mode.STALE]], reads=12, commits=3, directory=tmp_path
        )
    assert trial.fresh.violations == ()
    assert trial.stale.violations == ()
    assert trial.fresh.versions[-1] == len(trial.commits)
