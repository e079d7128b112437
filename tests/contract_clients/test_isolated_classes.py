"""Spark with isolated Hive classes, which the client in its JVM can't use."""

import json
import sys
from pathlib import Path

from readers.child import SUPPORT
from servers.metastore import Metastore
from servers.processes import start, stop, tail

ENDS_WITHIN_SECONDS = 240.0


def test_tables_are_published_beside_isolated_classes(server: Metastore, tmp_path: Path) -> None:
    """A session with ``spark.sql.hive.metastore.jars`` stages and publishes, over Thrift.

    The isolated classes are of the version that Spark brings along: other jars are not at hand.
    """
    log, answer = tmp_path / "isolated.log", tmp_path / "answer.json"
    script = SUPPORT / "contract_clients" / "isolated.py"
    command: list[str | Path] = [sys.executable, script, json.dumps(server.spark_conf()), answer]
    process = start(command, log, cwd=tmp_path, env={"PYTHONPATH": str(SUPPORT)})
    try:
        code = process.wait(ENDS_WITHIN_SECONDS)
    finally:
        stop(process)
    assert code == 0, tail(log)
    assert json.loads(answer.read_text()) == {
        "description": f"catalog: spark_catalog, Hive, remote at {server.uri}, over Thrift "
        "(the Spark session that was there before dbt)",
        "check": "cas",
        "rows": [[[1]], [["two", 2]]],
    }
