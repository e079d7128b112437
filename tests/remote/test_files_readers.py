"""Readers in another process while dbt publishes tables of files over a server."""

from pathlib import Path

import pytest

from long import long
from readers.reader import Mode
from readers.tables import SharedTables
from readers.trial import run_trial
from servers.metastore import Metastore
from servers.remote import RemoteServer

READS, COMMITS = 10, 3


@pytest.mark.parametrize("method", [long("connect"), "thrift"])
def test_no_read_fails_or_mixes(
    servers: tuple[RemoteServer, Metastore], tmp_path: Path, method: str
) -> None:
    """As beside a session; `bench/many_reads.py --over` has 2,000 of them."""
    server, metastore = servers
    there = {**server.profile(method), "metastore": metastore.uri, "server_side_parameters": {}}
    trial = run_trial(
        SharedTables(metastore.spark_conf(), profile=there),
        [[Mode.FRESH, Mode.STALE]],
        reads=READS,
        commits=COMMITS,
        directory=tmp_path,
        same=True,
    )
    assert {(one.level, one.reader_window) for one in trial.commits[1:]} == {("isolated", "none")}
    assert (trial.fresh.violations, trial.stale.violations) == ((), ())
    assert trial.reads >= READS
    assert len(trial.fresh.versions) >= COMMITS
    assert trial.stale.versions == (1,)
