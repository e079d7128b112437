r"""What staging and publication add to a large CTAS, in seconds and in memory.

    PYTHONPATH=tests/support python bench/large_models.py --out bench/results/large_models.json

One session writes TPC-H's lineitem as Parquet of 1 and of 5 GB, in turns: by a plain CTAS, and by
one that is staged, verified and published over the version before it. What was there before is
dropped in nobody's time, although a build of dbt-spark waits for that. Memory is that of the one
JVM, which is driver and executor: the most heap that was in use, and the most resident memory.
Both begin after a garbage collection. It takes 2 minutes a round for 1 GB, and 12 for 5 GB.
"""

import argparse
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from functools import partial
from pathlib import Path

from pyspark.sql import SparkSession

from ctas_spark.catalogs.session import CatalogsWithJvm
from ctas_spark.context import StagingContext, TableName
from ctas_spark.engines.launch import start_spark
from results_file import write_figures
from servers.versions import versions
from side_by_side.environments import tpch_tables
from side_by_side.machine import described, settled
from side_by_side.memory import Memory
from side_by_side.staged import location, staged
from side_by_side.tables import PLAIN, STAGED, large_table

WAYS = (PLAIN, STAGED)
GIGABYTE = 1_000_000_000
SCHEMA = "bench"


@dataclass(frozen=True, slots=True)
class Timing:
    """One build; ``publication`` is the part from the end of the CTAS on."""

    round: int
    gigabytes: float
    way: str
    busy: float
    seconds: float
    publication: float
    heap_mb: int
    resident_mb: int


class Builder:
    """Builds one table after the other, and removes each one's predecessor."""

    def __init__(self, spark: SparkSession, warehouse: Path) -> None:
        self._spark, self._opened = spark, CatalogsWithJvm(spark)
        self._warehouse, self._live = warehouse, Path()
        spark.sql(f"CREATE SCHEMA {SCHEMA}")

    def plain(self, query: str) -> tuple[float, float]:
        """Seconds of a CTAS, and none of publication."""
        began = time.perf_counter()
        self._spark.sql(f"CREATE TABLE {SCHEMA}.plain USING parquet AS {query}")
        return time.perf_counter() - began, 0.0

    def drop_plain(self) -> int:
        """Return the bytes that it had."""
        size = sum(file.stat().st_size for file in self._warehouse.rglob("part-*.parquet"))
        self._spark.sql(f"DROP TABLE IF EXISTS {SCHEMA}.plain")
        return size

    def staged(self, query: str) -> tuple[float, float]:
        """Seconds from begin to settle, and those after the CTAS."""
        context = StagingContext(TableName(SCHEMA, "staged"), f"{SCHEMA}__ctas_spark")
        done, places = [], []

        def fill(ctas: str) -> None:
            self._spark.sql(ctas)
            done.append(time.perf_counter())
            places.append(location(ctas))

        began = time.perf_counter()
        version = staged(self._spark, self._opened, context, query, fill)
        version.commit()
        version.settle()
        ended = time.perf_counter()
        before, self._live = self._live, places[0]
        if before != Path():
            shutil.rmtree(before)
        return ended - began, ended - done[0]

    def close(self) -> None:
        """End the session."""
        self._opened.close()
        self._spark.stop()


def main() -> None:
    """Measure, keep the raw figures after each build, print medians and ratios."""
    options = _options()
    tables = tpch_tables(options.scale)
    timings: list[Timing] = []
    loaded = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        for timing in _rounds(options, tables / "lineitem.parquet", Path(directory)):
            timings.append(timing)
            print(f"{timing.round + 1} {timing.way}: {timing.seconds:.1f} s", flush=True)
            write_figures(options.out, _report(timings, options, loaded))
    print(large_table([asdict(one) for one in timings]))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--gigabytes", type=float, nargs="+", default=[1, 5])
    parser.add_argument("--scale", type=float, default=1, help="TPC-H's scale factor of the source")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out = options.out.absolute()
    return options


def _rounds(options: argparse.Namespace, source: Path, directory: Path) -> Iterator[Timing]:
    spark = start_spark({}, str(directory / "logs"), project=directory)
    memory, builder = Memory(spark), Builder(spark, directory / "spark-warehouse")
    builder.plain(_query(source, 1))  # it warms up, and says how large a copy is
    copy = builder.drop_plain()
    builder.staged(_query(source, 1))
    for size in options.gigabytes:
        query = _query(source, max(1, round(size * GIGABYTE / copy)))
        for number in range(options.rounds):
            for way in WAYS[:: -1 if number % 2 else 1]:
                build = partial(builder.plain if way == PLAIN else builder.staged, query)
                yield _timed(number, size, way, build, memory)
                builder.drop_plain()
    builder.close()


def _query(source: Path, copies: int) -> str:
    one = f"SELECT * FROM parquet.`{source}`"  # noqa: S608 (a file of our own)
    return "\nUNION ALL\n".join([one] * copies)


def _timed(
    number: int, size: float, way: str, build: Callable[[], tuple[float, float]], memory: Memory
) -> Timing:
    memory.reset()
    busy = settled()
    seconds, publication = (round(one, 3) for one in build())
    return Timing(number, size, way, busy, seconds, publication, *memory.peaks())


def _report(
    timings: Sequence[Timing], options: argparse.Namespace, loaded: float
) -> dict[str, object]:
    return {
        "finished": datetime.now(tz=timezone.utc).isoformat(timespec="seconds"),
        "machine": described(),
        "cores": os.cpu_count(),
        "load before": round(loaded, 2),
        "scale factor of the source": options.scale,
        "on": versions(),
        "timings": [asdict(timing) for timing in timings],
    }


if __name__ == "__main__":
    main()
