r"""A process with a Spark session of its own that does what its stdin says, call by call.

    PYTHONPATH=tests/support python tests/support/contract/rival.py \
        --conf '{"spark.sql...": "..."}' --staging-schema db__ctas_spark --out FILE

A call is one line, ``["prepare", ["db.t", ["replace", "isolated", "abort"], "parquet", 1]]``. Each
line of FILE after the first is an answer: ``{"result": ...}``, or ``{"kind": ..., "message": ...}``
of an error.
"""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from contract.spark_others import SparkOthers
from readers.journal import append
from readers.session import small_session


def main() -> None:
    """Answer until stdin closes."""
    options = _options()
    spark = small_session(json.loads(options.conf))
    spark.sql("SHOW DATABASES").collect()
    repeatable = not options.mixed_reads
    others = SparkOthers(spark, options.staging_schema, repeatable_reads=repeatable)
    with options.out.open("a") as journal:
        append(journal, {"ready": time.monotonic()})
        for line in sys.stdin:
            append(journal, _answer(others, *json.loads(line)))
    others.close()
    spark.stop()


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--conf", required=True)
    parser.add_argument("--staging-schema", required=True)
    parser.add_argument("--mixed-reads", action="store_true")
    parser.add_argument("--out", type=Path, required=True)
    return parser.parse_args()


def _answer(others: SparkOthers, call: str, arguments: list[Any]) -> dict[str, Any]:
    try:
        return {"result": getattr(others, call)(*arguments)}
    except Exception as error:  # noqa: BLE001 (whatever it is, the test judges it)
        return {"kind": type(error).__name__, "message": str(error)}


if __name__ == "__main__":
    main()
