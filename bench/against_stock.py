"""Whole runs of many small models: this adapter, the unchanged dbt-spark, and PySpark alone.

    PYTHONPATH=tests/support python bench/against_stock.py --out bench/results/against_stock.json

Every round builds the same project twice with each, side by side, from a cold start in a new
directory: a first build, then a rebuild, each a process of its own with default settings and an
embedded metastore. PySpark alone runs one DROP and one CTAS for each model in as many threads, and
is the floor: it plans no project, and takes tables away from readers. This adapter runs without an
archive of Spark's classes and with one, which is made before the first round. Seconds are of the
wall clock, from the start of the process to its end.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path

from dbt.adapters.ctas_spark.staging.engines import class_archive
from results_file import write_figures
from servers.versions import versions

THREADS = 4
OURS, ARCHIVED, STOCK, FLOOR = ADAPTERS = (
    "ctas_spark",
    "ctas_spark, archive",
    "spark",
    "pyspark",
)
BUILDS = ("first build", "rebuild")
OUTPUTS = {
    OURS: {"type": OURS, "schema": "bench", "threads": THREADS},
    STOCK: {
        "type": STOCK,
        "method": "session",
        "host": "NA",
        "schema": "bench",
        "threads": THREADS,
    },
}
ALONE = """
import sys
from concurrent.futures import ThreadPoolExecutor
from pyspark.sql import SparkSession

spark = SparkSession.builder.enableHiveSupport().getOrCreate()
spark.sql("CREATE SCHEMA IF NOT EXISTS bench")

def build(number):
    spark.sql(f"DROP TABLE IF EXISTS bench.m{number}")
    spark.sql(f"CREATE TABLE bench.m{number} USING parquet AS SELECT {number} AS id")

with ThreadPoolExecutor(int(sys.argv[2])) as threads:
    list(threads.map(build, range(int(sys.argv[1]))))
"""


@dataclass(frozen=True)
class Timing:
    """One process, in seconds; ``models`` is what all models together took."""

    round: int
    adapter: str
    build: str
    seconds: float
    models: float | None


def main() -> None:
    """Measure, print medians and their ratio to stock, keep the raw numbers."""
    options = _options()
    loaded = os.getloadavg()[0]
    timings = []
    with tempfile.TemporaryDirectory() as cache:
        os.environ["XDG_CACHE_HOME"] = cache
        class_archive.make()
        for timing in _rounds(options.rounds, options.models):
            timings.append(timing)
            said = f"{timing.round} {timing.adapter} {timing.build}: {timing.seconds:.1f} s"
            print(said, flush=True)
    figures = {
        "finished": datetime.now(tz=timezone.utc).isoformat(timespec="seconds"),
        "models": options.models,
        "threads": THREADS,
        "cores": os.cpu_count(),
        "load before": round(loaded, 2),
        "on": versions(),
        "timings": [asdict(timing) for timing in timings],
    }
    if options.out:
        write_figures(options.out, figures)
    _print(timings)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def _rounds(rounds: int, models: int) -> Iterator[Timing]:
    for number in range(rounds):
        for adapter in ADAPTERS if number % 2 else reversed(ADAPTERS):
            with tempfile.TemporaryDirectory() as directory:
                _write_project(Path(directory), models)
                for build in BUILDS:
                    yield _timed(number, adapter, build, models, Path(directory))


def _write_project(directory: Path, models: int) -> None:
    (directory / "models").mkdir()
    project = {"name": "bench", "profile": "bench", "models": {"bench": {"+materialized": "table"}}}
    profile = {"bench": {"target": OURS, "outputs": OUTPUTS}}
    (directory / "dbt_project.yml").write_text(json.dumps(project))  # JSON is YAML
    (directory / "profiles.yml").write_text(json.dumps(profile))
    for number in range(models):
        (directory / "models" / f"m{number}.sql").write_text(f"select {number} as id\n")


def _timed(number: int, adapter: str, build: str, models: int, directory: Path) -> Timing:
    target = OURS if adapter == ARCHIVED else adapter
    dbt = [str(Path(sys.executable).with_name("dbt")), "--quiet", "run", "--target", target]
    cache = {} if adapter == ARCHIVED else {"XDG_CACHE_HOME": str(directory / "no-cache")}
    alone = [sys.executable, "-c", ALONE, str(models), str(THREADS)]
    began = time.perf_counter()
    subprocess.run(  # noqa: S603 (dbt and Python of this environment)
        alone if adapter == FLOOR else dbt,
        cwd=directory,
        env={**os.environ, **cache},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    seconds = time.perf_counter() - began
    of_models = None if adapter == FLOOR else _of_models(directory)
    return Timing(number, adapter, build, round(seconds, 2), of_models)


def _of_models(directory: Path) -> float:
    """From the start of the first model to the end of the last."""
    results = json.loads((directory / "target" / "run_results.json").read_text())["results"]
    times = [one for result in results for one in result["timing"]]
    first = min(datetime.fromisoformat(one["started_at"].rstrip("Z")) for one in times)
    last = max(datetime.fromisoformat(one["completed_at"].rstrip("Z")) for one in times)
    return round((last - first).total_seconds(), 2)


def _print(timings: list[Timing]) -> None:
    print("| build | adapter | seconds, median (spread) | of stock | models alone, median |")
    print("|---|---|---|---|---|")
    for build in BUILDS:
        stock = statistics.median(_seconds(timings, STOCK, build))
        for adapter in ADAPTERS:
            own = _seconds(timings, adapter, build)
            models = [t.models for t in timings if (t.adapter, t.build) == (adapter, build)]
            alone = [one for one in models if one is not None]
            shown = f"{statistics.median(alone):.1f}" if alone else ""
            print(
                f"| {build} | {adapter} | {statistics.median(own):.1f} "
                f"({min(own):.1f} to {max(own):.1f}) | {statistics.median(own) / stock:.2f} | "
                f"{shown} |"
            )


def _seconds(timings: list[Timing], adapter: str, build: str) -> list[float]:
    return [t.seconds for t in timings if (t.adapter, t.build) == (adapter, build)]


if __name__ == "__main__":
    main()
