"""The proof that the readers can fail: they catch stock dbt-spark."""

from pathlib import Path

import pytest

from readers.control import stock_project
from readers.judge import judge_fresh
from readers.loop import running_readers
from readers.project import NAME
from readers.reader import Mode
from readers.rebuilds import running_writer
from servers.metastore import running_metastore

REBUILDS = 6


@pytest.mark.long
def test_readers_catch_stock_dbt_spark(tmp_path: Path) -> None:
    """Readers in other processes fail while stock dbt-spark rebuilds a table."""
    with running_metastore(tmp_path / "metastore", tmp_path / "warehouse") as server:
        conf = server.spark_conf()
        project = stock_project(tmp_path / "project", "control", conf)
        with running_writer(project, tmp_path) as writer:
            writer.build(1)
            sessions = [[Mode.FRESH], [Mode.FRESH]]
            with running_readers(conf, [f"control.{NAME}"], sessions, tmp_path) as readers:
                readers.wait_for(1)
                for version in range(2, 2 + REBUILDS):
                    writer.build(version)
                reads = readers.reads(Mode.FRESH)
            verdict = judge_fresh(reads, writer.commits())
    assert len(verdict.versions) > 1
    assert verdict.failed > 0
    assert verdict.violations
