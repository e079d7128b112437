r"""How long a Delta commit takes by the number of files that it replaces.

    PYTHONPATH=tests/support python bench/delta_commit_time.py \
        --out bench/results/delta_commit_time.json

Every round commits each case twice, one after the other: with the one list of actions that the
JVM makes, and with one made file by file through py4j, as the control. A version's files and its
log are linked into place: what is measured is the commit, from the last look at the staged
version to having read the target again.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any
from unittest.mock import patch

from pyspark.sql import SparkSession

from ctas_spark.delta import transaction
from ctas_spark.delta.facts import CommitMarker, Files
from ctas_spark.delta.tables import DeltaTables, LoadedTable
from ctas_spark.engines import jvm
from ctas_spark.engines.java_options import JAVA_OPTIONS, java_options
from delta.place import Place
from readers.session import small_session
from results_file import write_figures
from servers.delta import delta_session
from servers.versions import versions

FILES = (1, 1_000, 20_000)
WAYS = ("one list", "file by file")
OF_ONE_FILE = ("allFiles", "histogramOpt")
"""What the summary of a commit may leave out, and would say of one file only."""


@dataclass(frozen=True)
class Timing:
    """One commit that replaced so many files by as many, in seconds."""

    round: int
    files: int
    way: str
    commit: float


def main() -> None:
    """Measure, print medians, keep the raw numbers."""
    options = _options()
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        settings = _settings(Path(directory))
        spark = small_session(settings)
        timings = list(_rounds(spark, options.rounds, options.files, Path(directory)))
        spark.stop()
        write_figures(options.out, _report(timings, settings))
    _print(timings)


def file_by_file(
    tables: DeltaTables, over: LoadedTable, _: LoadedTable, files: Files, marker: CommitMarker
) -> Any:
    """The control: the same actions, with some calls from Python for each file."""
    made = [one.removeWithTimestamp(marker.time_ms, True) for one in _files(over)]
    action = tables.packages.org.apache.spark.sql.delta.actions.Action
    adds = (transaction.moved(add, marker.version) for add in files.values())
    made.extend(action.fromJson(json.dumps({"add": add})) for add in adds)
    return jvm.sequence(tables.packages, made)


def _files(table: LoadedTable) -> Iterator[Any]:
    found = table.snapshot.allFiles().collectAsList()
    return (found.get(at) for at in range(found.size()))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--files", type=int, nargs="+", default=FILES)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    options.out = options.out.absolute()
    return options


def _settings(directory: Path) -> dict[str, str]:
    """Java, Spark's optimizer and Delta's logs are as in a run of dbt, unlike in tests."""
    shortened = ("spark.sql.codegen.", "spark.sql.adaptive.", "spark.databricks.delta.")
    return {
        **{key: value for key, value in delta_session().items() if not key.startswith(shortened)},
        "spark.master": "local[2]",
        "spark.driver.memory": "2g",
        JAVA_OPTIONS: java_options({}, str(directory), is_local=True),
        "spark.sql.catalogImplementation": "hive",
        "spark.sql.warehouse.dir": str(directory / "warehouse"),
        "spark.hadoop.javax.jdo.option.ConnectionURL": (
            f"jdbc:derby:;databaseName={directory / 'metastore'};create=true"
        ),
    }


def _rounds(
    spark: SparkSession, rounds: int, sizes: list[int], directory: Path
) -> Iterator[Timing]:
    for files in sizes:
        place = Place.new(spark, f"files_{files}")
        template = _template(spark, directory / f"template_{files}", files)
        place.publish("SELECT 1L AS id")
        _commit(place, template, WAYS[0])  # it fills the table and warms up
        for number in range(rounds):
            for way in WAYS:
                yield Timing(number, files, way, _commit(place, template, way))
        place.close()


def _template(spark: SparkSession, directory: Path, files: int) -> Path:
    """A Delta table with the same row in each of its files."""
    spark.range(0, 1, 1, 1).write.format("delta").save(str(directory))
    log = directory / "_delta_log" / f"{0:020d}.json"
    *others, add = sorted(
        map(json.loads, log.read_text().splitlines()), key=lambda one: "add" in one
    )
    made = directory / add["add"]["path"]
    for number in range(1, files):
        path = f"part-{number:05d}.parquet"
        shutil.copyfile(made, directory / path)
        others.append({"add": {**add["add"], "path": path}})
    summary = log.with_suffix(".crc")
    told = {**json.loads(summary.read_text()), "numFiles": files}
    told["tableSizeBytes"] *= files
    for hidden in log.parent.glob(".*.crc"):  # Hadoop's checksums of what is written anew here
        hidden.unlink()
    summary.write_text(json.dumps({key: told[key] for key in told if key not in OF_ONE_FILE}))
    log.write_text("".join(f"{json.dumps(one)}\n" for one in (*others, add)))
    return directory


def _commit(place: Place, template: Path, way: str) -> float:
    staged = place.begin()
    location = re.search(r"LOCATION '(?:file:)?([^']+)'", staged.statement("SELECT"))
    if location is None:
        raise ValueError(staged.version)
    shutil.copytree(template, location[1], copy_function=os.link)
    staged.verify()
    made = transaction.changes if way == WAYS[0] else file_by_file
    with patch.object(transaction, "changes", made):
        started = time.perf_counter()
        staged.commit()
        took = time.perf_counter() - started
    staged.settle()
    return took


def _print(timings: list[Timing]) -> None:
    print(f"| files | {' | '.join(f'{way}, s' for way in WAYS)} |")
    print("|---|---|---|")
    for files in dict.fromkeys(one.files for one in timings):
        medians = [
            statistics.median(t.commit for t in timings if (t.files, t.way) == (files, way))
            for way in WAYS
        ]
        print(f"| {files:,} | {' | '.join(f'{median:.2f}' for median in medians)} |")


def _report(timings: list[Timing], settings: dict[str, str]) -> dict[str, object]:
    return {
        "finished": datetime.now(tz=timezone.utc).isoformat(timespec="seconds"),
        "cores": os.cpu_count(),
        "on": versions(),
        "settings": {key: value for key, value in settings.items() if "/" not in value},
        "timings": [asdict(timing) for timing in timings],
    }


if __name__ == "__main__":
    main()
