"""Readers in other processes see whole versions only, while every build changes the schema."""

from pathlib import Path

from readers.reader import Mode
from readers.tables import SharedTables
from readers.trial import run_trial
from servers.metastore import running_metastore
from servers.metastore_on_postgresql import WHOLE_READS

READS = 100
COMMITS = 10


def test_no_read_fails_or_mixes(tmp_path: Path) -> None:
    """0 of 100 reads over 10 commits fail; fresh readers see every commit, stale ones keep one."""
    with running_metastore(tmp_path / "metastore", tmp_path / "warehouse", WHOLE_READS) as server:
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
