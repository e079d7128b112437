r"""Which code a rebuild of many small models spends its time in, by Java Flight Recorder.

    PYTHONPATH=tests/support python bench/where_time_goes.py \
        --out bench/results/where_time_goes.json

It rebuilds 100 models of one row once with each competitor, with a recorder in the JVM from its
start to its end. A sample of a running thread counts for the code nearest to its top that belongs
to one of the groups: what Derby has the JDK do is Derby's. It takes 3 minutes.
"""

import argparse
import os
import re
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path

from ctas_spark.engines.class_archive import java_of_spark
from results_file import write_figures
from servers.versions import versions
from side_by_side.cases import ARCHIVED, FLOOR, STOCK, Build, Case
from side_by_side.competitors import COMPETITORS, Competitor
from side_by_side.machine import described
from side_by_side.rounds import Turn, built, prepare

GROUPS = {
    "the metastore's database (Derby)": "org.apache.derby.",
    "the metastore's objects (DataNucleus)": "org.datanucleus.",
    "the metastore and its client (Hive)": "org.apache.hadoop.hive.",
    "compilation of generated code (Janino)": "org.codehaus.",
    "Parquet": "org.apache.parquet.",
    "file systems and settings (Hadoop)": "org.apache.hadoop.",
    "analysis and plans (Catalyst)": "org.apache.spark.sql.catalyst.",
    "the rest of Spark SQL": "org.apache.spark.sql.",
    "jobs (Spark's core)": "org.apache.spark.",
    "calls from Python (py4j)": "py4j.",
}
OTHERS = "the JDK and others"
OPTIONS = "JDK_JAVA_OPTIONS"
# What it says at its start would be read as a part of Spark's command.
RECORDER = "-Xlog:disable -XX:StartFlightRecording=settings=profile,dumponexit=true,filename={}"
SMALLEST = 1_000_000
"""Bytes of a recording of Spark; a launcher's has none of its samples."""
MOST_SECONDS = 60
SECONDS = {"s": 1.0, "ms": 0.001, "us": 0.000001, "ns": 0.000000001}
TIME = r"{} = ([\d.,]+) (s|ms|us|ns)\b"


@dataclass(frozen=True, slots=True)
class Profile:
    """The share of each group, and the seconds of compilers and of pauses."""

    shares: dict[str, float]
    compilers: float
    pauses: float
    seconds: float | None


def main() -> None:
    """Record, keep the shares, print them."""
    options = _options()
    profiles = {}
    for competitor in (one for one in COMPETITORS if one.name in options.competitors):
        profiles[competitor.name] = profile = _profiled(options.models, competitor)
        print(f"{competitor.name}: {profile}", flush=True)
    report = {
        "finished": datetime.now(tz=timezone.utc).isoformat(timespec="seconds"),
        "models": options.models,
        "machine": described(),
        "cores": os.cpu_count(),
        "on": versions(),
        "shares": {name: one.shares for name, one in profiles.items()},
        "compilers": {name: one.compilers for name, one in profiles.items()},
        "pauses": {name: one.pauses for name, one in profiles.items()},
        "seconds of the rebuild": {name: one.seconds for name, one in profiles.items()},
    }
    write_figures(options.out, report)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--models", type=int, default=100)
    parser.add_argument("--competitors", nargs="+", default=[ARCHIVED, STOCK, FLOOR])
    parser.add_argument("--out", type=Path, required=True)
    return parser.parse_args()


def _profiled(models: int, competitor: Competitor) -> Profile:
    turn = Turn(0, Case(f"{models} models", models=models), competitor)
    with tempfile.TemporaryDirectory() as parent:
        directory, recordings = Path(parent, "project"), Path(parent, "recordings")
        directory.mkdir()
        recordings.mkdir()
        prepare(turn, directory)
        built(turn, Build.FIRST, directory)
        recorder = {OPTIONS: RECORDER.format(recordings)}
        rebuild = built(turn, Build.REBUILD, directory, recorder)
        if rebuild.failed:
            raise RuntimeError(rebuild.failed)
        recording = _whole(recordings)
        return Profile(
            _shares(recording),
            _last(recording, "CompilerStatistics", "totalTimeSpent"),
            round(sum(_times(recording, "GarbageCollection", "sumOfPauses")), 2),
            rebuild.seconds,
        )


def _whole(recordings: Path) -> Path:
    """That of Spark's JVM, which writes it after the Python that it served has ended.

    Spark's launcher is a JVM, too, and a short one.
    """
    size, deadline = 0, time.monotonic() + MOST_SECONDS
    while time.monotonic() < deadline:
        time.sleep(1)
        largest = max(recordings.glob("*.jfr"), key=lambda one: one.stat().st_size)
        before, size = size, largest.stat().st_size
        if size == before and size >= SMALLEST:
            return largest
    raise RuntimeError(f"Spark's JVM has left no recording in {recordings}")


def _shares(recording: Path) -> dict[str, float]:
    counts = Counter(_group(stack) for stack in _stacks(recording))
    return {name: round(counts[name] / counts.total(), 4) for name in (*GROUPS, OTHERS)}


def _stacks(recording: Path) -> Iterator[list[str]]:
    """The frames of each sample, from the top."""
    for event in _printed(recording, "ExecutionSample").split("jdk.ExecutionSample {")[1:]:
        _, _, stack = event.partition("stackTrace = [")
        yield [line.strip() for line in stack.splitlines()]


def _group(stack: list[str]) -> str:
    for frame in stack:
        for name, package in GROUPS.items():
            if frame.startswith(package):
                return name
    return OTHERS


def _last(recording: Path, event: str, field: str) -> float:
    return round([0.0, *_times(recording, event, field)][-1], 2)


def _times(recording: Path, event: str, field: str) -> Iterator[float]:
    for number, unit in re.findall(TIME.format(field), _printed(recording, event)):
        yield float(number.replace(",", "")) * SECONDS[unit]


def _printed(recording: Path, event: str) -> str:
    jfr = Path(java_of_spark() or "java").resolve().with_name("jfr")
    command = (str(jfr), "print", "--events", f"jdk.{event}", "--stack-depth", "64", str(recording))
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout  # noqa: S603


if __name__ == "__main__":
    main()
