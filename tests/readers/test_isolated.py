"""Readers in other processes see whole versions only, while every build changes the schema."""

from pathlib import Path

from readers.judge import judge_fresh, judge_stale
from readers.loop import running_readers
from readers.project import NAME, session_output, write_project
from readers.reader import Mode
from readers.rebuilds import running_writer
from servers.metastore import running_metastore

READS = 100
COMMITS = 10
# One get_table is several SELECTs on the server: at its default, read-committed, a commit between
# two of them gives a client the schema of one version and the location of another.
WHOLE_READS = {"datanucleus.transactionIsolation": "repeatable-read"}


def test_no_read_fails_or_mixes(tmp_path: Path) -> None:
    """0 of 100 reads over 10 commits fail; fresh readers see every commit, stale ones keep one."""
    with running_metastore(tmp_path / "metastore", tmp_path / "warehouse", WHOLE_READS) as server:
        conf = server.spark_conf()
        output = session_output("ctas_spark", "isolated", conf)
        project = write_project(tmp_path / "project", output, {"materialized": "atomic_table"})
        with running_writer(project, tmp_path) as writer:
            writer.build(1)
            modes = [Mode.FRESH, Mode.STALE]
            with running_readers(conf, f"isolated.{NAME}", modes, tmp_path) as readers:
                readers.wait_for(1)
                for version in range(2, 2 + COMMITS):
                    writer.build(version)
                    readers.wait_for_more(READS // (2 * COMMITS))
                fresh, stale = readers.reads(Mode.FRESH), readers.reads(Mode.STALE)
            commits = writer.commits()
    seen, kept = judge_fresh(fresh, commits), judge_stale(stale)
    assert seen.violations == ()
    assert kept.violations == ()
    assert len(commits) > COMMITS
    assert seen.reads + kept.reads >= READS
    assert set(seen.versions) >= set(range(2, 2 + COMMITS))
    assert kept.versions == (1,)
