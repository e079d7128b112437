r"""How long the commit takes, and what follows it, by files and partitions of the version.

    PYTHONPATH=tests/support python bench/commit_time.py \
        --rounds 5 --out bench/results/commit_time.json

Every round commits each case once, one after the other, on an embedded metastore in a temporary
directory. A version's files are written without Spark: what is measured is the commit alone, from
reading the base to having read the target again, and what follows it in nobody's way: the refresh
and, where they are tracked, the bookkeeping of the partitions, with the listing of directories.
"""

import argparse
import os
import re
import shutil
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging.catalogs.session import CatalogsWithJvm
from dbt.adapters.ctas_spark.staging.context import (
    PartitionMetadata,
    StagingContext,
    TableLayout,
    TableName,
)
from dbt.adapters.ctas_spark.staging.engines.launch import start_spark
from dbt.adapters.ctas_spark.staging.engines.session import SessionJob
from dbt.adapters.ctas_spark.staging.publish.staged_table import StagedTable
from results_file import write_figures
from servers.versions import versions

SCHEMA = "bench"
STAGING = "bench__ctas_spark"


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
    commit: float
    afterwards: float


def main() -> None:
    """Measure, print medians and their ratio to the smallest case, keep the raw numbers."""
    options = _options()
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        timings = list(_rounds(options.rounds, Path(directory)))
        write_figures(options.out, _report(timings))
    _print(timings)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out = options.out.absolute()
    return options


def _rounds(rounds: int, directory: Path) -> Iterator[Timing]:
    spark = start_spark({"spark.master": "local[2]"}, str(directory / "logs"))
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
    staged = _staged(spark, opened, case, template)
    started = time.perf_counter()
    staged.commit()
    committed = time.perf_counter()
    staged.settle()
    ended = time.perf_counter()
    return Timing(number, case, committed - started, ended - committed)


def _staged(
    spark: SparkSession, opened: CatalogsWithJvm, case: Case, template: Path
) -> StagedTable[Any]:
    """A version ready to be committed: its files linked into place, its record made by SQL."""
    layout = TableLayout(partition_by=("k",) if case.partitions else ())
    context = StagingContext(
        TableName(SCHEMA, case.table),
        STAGING,
        layout=layout,
        partition_metadata=PartitionMetadata.TRACKED if case.tracked else PartitionMetadata.FILES,
    )
    job = SessionJob(spark, case.table, threading.Event())
    staged = opened.catalog_for(context).plan(context, job).begin()
    ctas = staged.statement("SELECT")
    location = re.search(r"LOCATION '(?:file:)?([^']+)'", ctas)
    if location is None:
        raise ValueError(ctas)
    shutil.copytree(template, location[1], copy_function=os.link)
    spark.sql(_record_sql(ctas, case))
    staged.verify()
    return staged


def _record_sql(ctas: str, case: Case) -> str:
    """The CREATE TABLE of a CTAS, over files that are there."""
    columns = "id BIGINT, k INT" if case.partitions else "id BIGINT"
    created, _, _ = ctas.partition("\nAS\n")
    return created.replace("\nUSING ", f" ({columns})\nUSING ", 1)


def _medians(timings: list[Timing]) -> Iterator[tuple[Case, float, float]]:
    for case in CASES:
        own = [timing for timing in timings if timing.case == case]
        yield (
            case,
            statistics.median(t.commit for t in own),
            statistics.median(t.afterwards for t in own),
        )


def _print(timings: list[Timing]) -> None:
    rows = list(_medians(timings))
    smallest = rows[0][1]
    print("| files | partitions | tracked | commit, ms | ratio to 1 file | afterwards, ms |")
    print("|---|---|---|---|---|---|")
    for case, commit, afterwards in rows:
        print(
            f"| {case.files:,} | {case.partitions:,} | {'yes' if case.tracked else 'no'} | "
            f"{commit * 1000:.0f} | {commit / smallest:.2f} | {afterwards * 1000:.0f} |"
        )


def _report(timings: list[Timing]) -> dict[str, object]:
    return {
        "finished": datetime.now(tz=timezone.utc).isoformat(timespec="seconds"),
        "cores": os.cpu_count(),
        "on": versions(),
        "timings": [asdict(timing) for timing in timings],
    }


if __name__ == "__main__":
    main()
