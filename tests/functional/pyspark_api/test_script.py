"""A script with a Spark and an embedded metastore of its own, as on the first day."""

import subprocess
import sys
from pathlib import Path

import pytest

from readers.session import QUICK

SCRIPT = """
import sys
from pyspark.sql import SparkSession
from ctas_spark import save_as
settings = {"spark.ui.enabled": "false", "spark.driver.extraJavaOptions": sys.argv[1]}
builder = SparkSession.builder.master("local[1]").config(map=settings)
spark = builder.enableHiveSupport().getOrCreate()
for rows in 1, 2:
    save_as(spark.range(rows), "orders").create_or_replace()
print("rows:", spark.table("orders").count())
"""


@pytest.mark.long
def test_a_script_that_succeeds_shows_no_error(tmp_path: Path) -> None:
    """What the metastore is expected to refuse, as a probe does, is not in the script's log."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, QUICK],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "rows: 2" in done.stdout, done.stderr
    assert " ERROR " not in done.stderr, done.stderr
