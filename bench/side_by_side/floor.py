"""PySpark alone, as the floor: the statements of a project's models, in threads of one session.

    python floor.py [--threads 4] [--tests]

Each ``models/*.sql`` becomes a DROP and a CTAS and, with ``--tests``, the two queries of its tests.
``target/floor.json`` says when the session was ready, and when the last statement was done.
"""

import argparse
import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from pyspark.sql import SparkSession

NOT_NULL = "SELECT count(*) FROM (SELECT id FROM {table} WHERE id IS NULL)"
UNIQUE = """
SELECT count(*) FROM (
    SELECT id FROM {table} WHERE id IS NOT NULL GROUP BY id HAVING count(*) > 1
)
"""


def main() -> None:
    """Build the project of the working directory."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--threads", type=int, default=4)
    parser.add_argument("--tests", action="store_true")
    options = parser.parse_args()
    spark = SparkSession.builder.enableHiveSupport().getOrCreate()
    spark.sql("CREATE SCHEMA IF NOT EXISTS bench")
    ready = time.time()

    def build(model: Path) -> None:
        table = f"bench.{model.stem}"
        spark.sql(f"DROP TABLE IF EXISTS {table}")
        spark.sql(f"CREATE TABLE {table} USING parquet AS {model.read_text()}")
        for test in (NOT_NULL, UNIQUE) if options.tests else ():
            spark.sql(test.format(table=table)).collect()

    with ThreadPoolExecutor(options.threads) as threads:
        list(threads.map(build, sorted(Path("models").glob("*.sql"))))
    target = Path("target")
    target.mkdir(exist_ok=True)
    (target / "floor.json").write_text(json.dumps({"ready": ready, "done": time.time()}))


if __name__ == "__main__":
    main()
