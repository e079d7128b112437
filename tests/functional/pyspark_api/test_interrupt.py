"""Ctrl-C in the middle of save_as."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from pyspark.sql import SparkSession

from ctas_spark import save_as
from functional.outside import Outside
from readers.session import SMALL
from servers.metastore import Metastore
from servers.processes import wait_until, with_tests

STARTS_WITHIN = 180.0
ENDS_WITHIN = 90.0
SCRIPT = """
import json, sys
from ctas_spark import save_as
from readers.session import small_session
spark = small_session(json.loads(sys.argv[1]))
sleeps = "java_method('java.lang.Thread', 'sleep', 60000L)"
try:
    save_as(spark.range(1).selectExpr("id", f"{sleeps} as slept"), sys.argv[2]).replace()
except KeyboardInterrupt:
    print("stopped; the session still counts to", spark.range(3).count())
"""


def test_ctrl_c_leaves_the_old_version_and_the_session(
    spark: SparkSession, schema: str, outside: Outside, metastore: Metastore, tmp_path: Path
) -> None:
    """The job is cancelled, what it staged is removed, and KeyboardInterrupt is raised."""
    save_as(spark.range(2), f"{schema}.orders").create()
    before = outside.entry("orders"), outside.versions(), outside.records()
    settings = json.dumps({**SMALL, **metastore.spark_conf()})
    script = [sys.executable, "-c", SCRIPT, settings, f"{schema}.orders"]
    warehouse = metastore.warehouse / f"{schema}.db"
    with (tmp_path / "console.log").open("wb") as console:
        process = subprocess.Popen(
            ["env", "--default-signal=INT", *script],
            stdin=subprocess.DEVNULL,
            stdout=console,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            cwd=tmp_path,
            env={**os.environ, **with_tests()},
        )
        try:
            wait_until(
                lambda: any(warehouse.rglob("_temporary")) or process.poll() is not None,
                STARTS_WITHIN,
                "a task that writes",
            )
            os.killpg(process.pid, signal.SIGINT)
            process.wait(ENDS_WITHIN)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
    said = (tmp_path / "console.log").read_text()
    assert "stopped; the session still counts to 3" in said, said
    assert (outside.entry("orders"), outside.versions(), outside.records()) == before
