"""A preview of a project next to its build: both of the same tables, each in a process of its own.

    PYTHONPATH=tests/support python bench/preview.py --out bench/results/preview.json

The project has layers of models, each of which joins one of the layer below with one of the lowest,
and a test for every fourth. It is built once; then every round builds and previews it. Seconds are
of the wall clock, from the start of the process to its end, and of all nodes together.
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

from results_file import write_figures
from servers.versions import versions
from side_by_side.tools import Dbt

LAYER = 20
ROWS = 200_000
THREADS = 4
BUILD, PREVIEW = COMMANDS = ("build", "preview")
FIRST = "select id, id % 1000 as key, id * {1} as amount from range({0})"
LATER = (
    "select one.id, one.key, sum(two.amount) as amount from {{{{ ref('m{}') }}}} as one "
    "join {{{{ ref('m{}') }}}} as two on one.id = two.id group by one.id, one.key"
)


@dataclass(frozen=True)
class Timing:
    """One process, in seconds; ``models`` is what all models together took."""

    round: int
    command: str
    seconds: float
    models: float


def main() -> None:
    """Measure, print medians and their ratio, keep the raw numbers."""
    options = _options()
    loaded = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as directory:
        _write_project(Path(directory), options.models)
        _timed(0, BUILD, Path(directory))
        timings = list(_rounds(options.rounds, Path(directory)))
    figures = {
        "finished": datetime.now(tz=timezone.utc).isoformat(timespec="seconds"),
        "models": options.models,
        "rows": ROWS,
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
    parser.add_argument("--models", type=int, default=200)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def _rounds(rounds: int, directory: Path) -> Iterator[Timing]:
    for number in range(rounds):
        for command in COMMANDS:
            timing = _timed(number, command, directory)
            print(f"{number} {command}: {timing.seconds:.1f} s", flush=True)
            yield timing


def _write_project(directory: Path, models: int) -> None:
    (directory / "models").mkdir()
    project = {"name": "bench", "profile": "bench", "models": {"bench": {"+materialized": "table"}}}
    output = {"type": "ctas_spark", "schema": "bench", "threads": THREADS}
    profile = {"bench": {"target": "bench", "outputs": {"bench": output}}}
    (directory / "dbt_project.yml").write_text(json.dumps(project))  # JSON is YAML
    (directory / "profiles.yml").write_text(json.dumps(profile))
    for number in range(models):
        below = number - LAYER
        lowest = (number + 1) % LAYER
        query = FIRST.format(ROWS, number) if below < 0 else LATER.format(below, lowest)
        (directory / "models" / f"m{number}.sql").write_text(query)
    tested = [
        {"name": f"m{number}", "columns": [{"name": "id", "data_tests": ["not_null"]}]}
        for number in range(0, models, 4)
    ]
    (directory / "models" / "schema.yml").write_text(json.dumps({"models": tested}))


def _timed(number: int, command: str, directory: Path) -> Timing:
    wall, began = time.time(), time.perf_counter()
    subprocess.run(  # noqa: S603 (dbt of this environment)
        [str(Path(sys.executable).with_name("dbt")), "--quiet", "build"],
        cwd=directory,
        env={**os.environ, "CTAS_PREVIEW": str(command == PREVIEW).lower()},
        stdout=subprocess.DEVNULL,
        check=True,
    )
    times = Dbt({}).times(directory, wall, round(time.perf_counter() - began, 2))
    return Timing(number, command, times.seconds, times.models or 0.0)


def _print(timings: list[Timing]) -> None:
    print("| command | seconds, median | of the build | nodes alone, median |")
    print("|---|---|---|---|")
    medians = {}
    for command in COMMANDS:
        own = [one for one in timings if one.command == command]
        medians[command] = statistics.median(one.seconds for one in own)
        alone = statistics.median(one.models for one in own)
        ratio = medians[command] / medians[BUILD]
        print(f"| {command} | {medians[command]:.1f} | {ratio:.2f} | {alone:.1f} |")


if __name__ == "__main__":
    main()
