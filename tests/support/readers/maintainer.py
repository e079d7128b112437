r"""A process that maintains one table in a loop, as a team's nightly jobs do, until stdin closes.

    PYTHONPATH=tests/support python tests/support/readers/maintainer.py \
        --conf '{"spark.sql...": "..."}' --table db.t --catalog spark_catalog --format iceberg \
        --out FILE

The first line of FILE says that the session is ready, each further one is a statement, with what it
was refused for, if it was. The last says how many of the table's kept versions it read whole.
"""

import argparse
import itertools
import json
import time
from collections.abc import Iterator
from pathlib import Path

from pyspark.sql import SparkSession

from readers.content import inspect
from readers.journal import append
from readers.reader import stdin_closed
from readers.session import small_session

PAUSE_SECONDS = 0.5
ALL_FILES = "options => map('rewrite-all', 'true')"
EXPIRED = "older_than => TIMESTAMP '{now}', retain_last => 20"
STATEMENTS = {
    "iceberg": (
        f"CALL {{catalog}}.system.rewrite_data_files(table => '{{table}}', {ALL_FILES})",
        "CALL {catalog}.system.rewrite_manifests(table => '{table}')",
        f"CALL {{catalog}}.system.expire_snapshots(table => '{{table}}', {EXPIRED})",
        "CALL {catalog}.system.remove_orphan_files(table => '{table}')",
        "ALTER TABLE {table} CREATE OR REPLACE TAG weekly",
    ),
    "delta": ("OPTIMIZE {table}", "VACUUM {table}"),
}
VERSIONS = {
    "iceberg": "SELECT snapshot_id AS v FROM {table}.history WHERE is_current_ancestor",
    "delta": "DESCRIBE HISTORY {table}",
}
"""The versions are in the first column."""
OPERATION = "operation"
WITHOUT_ROWS = ("VACUUM START", "VACUUM END")
"""Operations of Delta's history that change nothing that can be read."""


def main() -> None:
    """Maintain until told to stop, then read what is kept."""
    options = _options()
    spark = small_session(json.loads(options.conf))
    spark.sql("SHOW DATABASES").collect()
    stopped = stdin_closed()
    with options.out.open("a") as journal:
        append(journal, {"ready": time.monotonic()})
        for statement in itertools.cycle(STATEMENTS[options.format]):
            if stopped.wait(PAUSE_SECONDS):
                break
            text = statement.format(
                catalog=options.catalog,
                table=options.table,
                now=time.strftime("%Y-%m-%d %H:%M:%S"),
            )
            append(journal, {"statement": text.split("(")[0], "refused": _refused(spark, text)})
        whole = sum(_whole(spark, options.table, options.format))
        append(journal, {"statement": "read what is kept", "whole": whole})
    spark.stop()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--conf", required=True)
    parser.add_argument("--table", required=True)
    parser.add_argument("--catalog", required=True)
    parser.add_argument("--format", choices=[*STATEMENTS], required=True)
    parser.add_argument("--out", type=Path, required=True)
    return parser.parse_args()


def _refused(spark: SparkSession, text: str) -> str | None:
    """What a statement was refused for: another's commit may come first, and that is no fault."""
    try:
        spark.newSession().sql(text).collect()
    except Exception as error:  # noqa: BLE001 (whatever it is, it is written down)
        return f"{type(error).__name__}: {error}"[:300]
    return None


def _whole(spark: SparkSession, table: str, file_format: str) -> Iterator[int]:
    """1 for each version that the table still has and that can be read whole."""
    for row in spark.sql(VERSIONS[file_format].format(table=table)).collect():
        if OPERATION in row and row[OPERATION] in WITHOUT_ROWS:
            continue
        frame = spark.sql(f"SELECT * FROM {table} VERSION AS OF {row[0]}")
        inspect([(one.name, one.dataType.simpleString()) for one in frame.schema], frame.collect())
        yield 1


if __name__ == "__main__":
    main()
