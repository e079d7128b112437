r"""How long the commit takes, and what follows it, by files and partitions of the version.

    PYTHONPATH=tests/support python bench/commit_time.py \
        --rounds 5 --out bench/results/commit_time.json

Every round commits each case once, one after the other, on an embedded metastore in a temporary
directory or, with ``--metastore remote``, on a server on PostgreSQL. A version's files are written
without Spark: what is measured is the listing that ends the staging, the commit, from reading the
base to having read the target again, and what follows it in nobody's way: the refresh and, where
they are tracked, the bookkeeping of the partitions, with the listing of directories.
"""

import argparse
import os
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from ctas_spark.catalogs.session import CatalogsWithJvm
from ctas_spark.context import (
    PartitionMetadata,
    StagingContext,
    TableLayout,
    TableName,
)
from ctas_spark.engines.launch import start_spark
from ctas_spark.steps import Step, observe
from results_file import write_figures
from servers.metastore_on_postgresql import running_metastore_on_postgresql
from servers.versions import versions
from side_by_side.machine import described
from side_by_side.staged import ONE_COLUMN, linked, staged
from side_by_side.tables import commit_table

SCHEMA = "bench"
STAGING = "bench__ctas_spark"
EMBEDDED, REMOTE = "embedded", "remote"


@dataclass(frozen=True)
class Case:
    """A version of so many files, in so many partitions (0: not partitioned), tracked or listed."""

    files: int
    partitions: int = 0
    tracked: bool = False

    @property
    def table(self) -> str:
        """The target's name."""
        how = "tracked" if self.tracked else "listed"
        return f"files_{self.files}_partitions_{self.partitions}_{how}"

    @property
    def context(self) -> StagingContext:
        """What a model with such a version would say."""
        return StagingContext(
            TableName(SCHEMA, self.table),
            STAGING,
            layout=TableLayout(partition_by=("k",) if self.partitions else ()),
            partition_metadata=(
                PartitionMetadata.TRACKED if self.tracked else PartitionMetadata.FILES
            ),
        )


CASES = (
    Case(1),
    Case(100),
    Case(5_000),
    Case(1, 1),
    Case(100, 100),
    Case(2_000, 2_000),
    Case(1, 1, tracked=True),
    Case(100, 100, tracked=True),
    Case(2_000, 2_000, tracked=True),
)


@dataclass(frozen=True)
class Timing:
    """One commit, in seconds."""

    round: int
    case: Case
    listing: float
    commit: float
    afterwards: float


class Began:
    """When the commit began: what a run's own figures count as the commit starts there."""

    at = 0.0

    def entered(self, step: Step, target: TableName) -> None:  # noqa: ARG002 (there is one)
        """Of all steps, take the time of this one."""
        if step is Step.COMMIT:
            self.at = time.perf_counter()

    def left(self, step: Step, target: TableName) -> None:
        """No end of a step matters."""


def main() -> None:
    """Measure, print medians and their ratio to the smallest case, keep the raw numbers."""
    options = _options()
    timings: list[Timing] = []
    loaded = os.getloadavg()[0]
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        os.chdir(directory)
        settings = {}
        if options.metastore == REMOTE:
            places = (directory / "metastore", directory / "warehouse")
            server = running_metastore_on_postgresql(*places, lock_tables=True)
            settings = stack.enter_context(server).spark_conf()
        for timing in _rounds(options.rounds, settings, directory):
            timings.append(timing)
            write_figures(options.out, _report(timings, options.metastore, loaded))
    print(commit_table([asdict(timing) for timing in timings]))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--metastore", choices=[EMBEDDED, REMOTE], default=EMBEDDED)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out = options.out.absolute()
    return options


def _rounds(rounds: int, settings: Mapping[str, str], directory: Path) -> Iterator[Timing]:
    spark = start_spark({"spark.master": "local[2]", **settings}, str(directory / "logs"))
    spark.sql(f"CREATE SCHEMA {SCHEMA}")
    opened = CatalogsWithJvm(spark)
    templates = {case: _template(case, directory / "templates") for case in CASES}
    for number in range(-1, rounds):  # the first creates the tables and warms up
        for case in CASES:
            timing = _commit(spark, opened, case, templates[case], number)
            if number >= 0:
                yield timing
    opened.close()
    spark.stop()


def _template(case: Case, parent: Path) -> Path:
    """The files of a version, one row each."""
    directory = parent / case.table
    for number in range(case.files):
        place = directory / f"k={number % case.partitions}" if case.partitions else directory
        place.mkdir(parents=True, exist_ok=True)
        pq.write_table(pa.table({"id": [number]}), place / f"part-{number:05d}.parquet")
    return directory


def _commit(
    spark: SparkSession, opened: CatalogsWithJvm, case: Case, template: Path, number: int
) -> Timing:
    columns = f"{ONE_COLUMN}, k INT" if case.partitions else ONE_COLUMN
    fill = linked(spark, template, columns)
    version = staged(spark, opened, case.context, "SELECT", fill)
    began = Began()
    started = time.perf_counter()
    with observe(began):
        version.commit()
    committed = time.perf_counter()
    version.settle()
    ended = time.perf_counter()
    return Timing(number, case, began.at - started, committed - began.at, ended - committed)


def _report(timings: list[Timing], metastore: str, loaded: float) -> dict[str, object]:
    return {
        "finished": datetime.now(tz=timezone.utc).isoformat(timespec="seconds"),
        "cores": os.cpu_count(),
        "machine": described(),
        "load before": round(loaded, 2),
        "metastore": metastore,
        "on": versions(),
        "timings": [asdict(timing) for timing in timings],
    }


if __name__ == "__main__":
    main()
