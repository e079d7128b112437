"""Readers in other processes, on a server with default settings, while a table is rebuilt."""

from pathlib import Path

import pytest

from long import long
from readers.reader import Mode
from readers.tables import Choice, SharedTables, shared_tables
from readers.trial import run_trial
from servers.metastore import Metastore

READS = 16
COMMITS = 3


@pytest.mark.parametrize("same", [True, long(False)])
def test_no_read_fails_or_mixes(metastore: Metastore, tmp_path: Path, *, same: bool) -> None:
    """Fresh readers see every commit, stale ones keep one, and each gets one whole version.

    Where every build changes types, keys and format, the publication says that one read may mix two
    versions: that alone is excused, and no reader finds no table, or a part of one.
    """
    trial = run_trial(
        SharedTables(metastore.spark_conf()),
        [[Mode.FRESH, Mode.STALE]],
        reads=READS,
        commits=COMMITS,
        directory=tmp_path,
        same=same,
    )
    said = {(one.level, one.reader_window) for one in trial.commits[1:]}
    assert said == {("isolated", "none") if same else ("atomic", "mixed")}
    assert trial.fresh.violations == ()
    assert trial.stale.violations == ()
    assert len(trial.commits) > COMMITS
    assert trial.reads >= READS
    assert len(trial.fresh.versions) >= COMMITS - trial.fresh.excused
    assert trial.stale.versions == (1,)


@pytest.mark.long
def test_no_read_of_an_iceberg_table_fails_or_mixes(metastore: Metastore, tmp_path: Path) -> None:
    """In a session that has Delta, too; `bench/many_reads.py` has the other catalogs, and Delta."""
    with shared_tables(Choice.ICEBERG_JDBC, metastore, tmp_path) as tables:
        trial = run_trial(
            tables, [[Mode.FRESH, Mode.STALE]], reads=12, commits=3, directory=tmp_path
        )
    assert trial.fresh.violations == ()
    assert trial.stale.violations == ()
    assert trial.fresh.versions[-1] == len(trial.commits)
