"""Whether a kill -9 at any step leaves what the level promises, and nothing after the next run.

    PYTHONPATH=tests python bench/kills.py --out bench/results/kills.json

For each catalog, layout and kind of build, a dbt run is stopped at each side of each step, and
killed, its JVM included. The next process then sees the old table or the new one, whole; after its
run and a vacuum without grace, storage and metastore hold the live version and the kept one. It is
itself killed at the next point.
An embedded metastore is on Derby. The remote one is on PostgreSQL and has lock tables, without
which no partitions are tracked.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from datetime import datetime, timezone
from functools import partial
from itertools import islice
from pathlib import Path

from faults.kill_places import PLACES
from faults.kill_points import Build, Layout, Point, points
from faults.kills import Killed, kills
from servers.versions import versions

LEFT = ("paths", "bytes", "entries", "locks")


def main() -> None:
    """Kill, print and keep the figures; fail if a promise was broken."""
    options = _options()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as directory:
        done = _kills(options, Path(directory))
    figures = _figures(done, time.monotonic() - started)
    _print(done)
    print(json.dumps({name: figures[name] for name in ("kills", "violations", "left")}, indent=1))
    if options.out:
        options.out.write_text(json.dumps(figures, indent=1) + "\n")
    sys.exit(bool(figures["violations"]))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--catalog", choices=PLACES, action="append")
    parser.add_argument("--layout", type=Layout, action="append", help="by its name in the table")
    parser.add_argument("--build", type=Build, action="append", help="by its name in the table")
    parser.add_argument("--step", action="append", help="only at these, of what a run reaches")
    parser.add_argument("--limit", type=int, help="of points, for each column of the table")
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def _kills(options: argparse.Namespace, directory: Path) -> list[Killed]:
    """Those of each catalog in a process of its own: of two processes in a chain, one waits."""
    names = options.catalog or list(PLACES)
    with ProcessPoolExecutor(len(names)) as processes:
        chains = processes.map(partial(_chain, options, directory), names)
        return [killed for chain in chains for killed in chain]


def _chain(options: argparse.Namespace, directory: Path, catalog: str) -> list[Killed]:
    done = []
    with PLACES[catalog](directory / catalog) as place:
        for layout in options.layout or Layout:
            for build in options.build or Build:
                for killed in kills(place, layout, build, _chosen(options, layout)):
                    print(_line(killed), flush=True)
                    done.append(killed)
    return done


def _chosen(options: argparse.Namespace, layout: Layout) -> Iterator[Point]:
    found = (one for one in points(layout) if options.step is None or one.step in options.step)
    return islice(found, options.limit)


def _column(killed: Killed) -> str:
    return f"{killed.catalog}, {killed.kill.layout.value}, {killed.build.value}"


def _line(killed: Killed) -> str:
    said = "; ".join(killed.aftermath.violations) or "as promised"
    return f"{_column(killed)}, {killed.kill.point}: {said} ({killed.seconds} s)"


def _print(done: Sequence[Killed]) -> None:
    columns = list(dict.fromkeys(map(_column, done)))
    cells = {(str(one.kill.point), _column(one)): _cell(one) for one in done}
    rows = [str(point) for point in points(Layout.TRACKED)]
    print("| killed when | " + " | ".join(columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    for row in rows:
        print(f"| {row} | " + " | ".join(cells.get((row, one), "") for one in columns) + " |")


def _cell(killed: Killed) -> str:
    shown = "new" if killed.kill.point.is_published else "old"
    return "BROKEN" if killed.aftermath.violations else f"{shown}, 0 left"


def _figures(done: Sequence[Killed], seconds: float) -> dict[str, object]:
    left = Counter(dict.fromkeys(LEFT, 0))
    for one in done:
        left.update({name: getattr(one.aftermath, name) for name in LEFT})
    return {
        "kills": len(done),
        "columns": dict(Counter(map(_column, done))),
        "violations": [_line(one) for one in done if one.aftermath.violations],
        "left": dict(left),
        "each": [_raw(one) for one in done],
        "seconds": round(seconds, 1),
        "finished": datetime.now(tz=timezone.utc).isoformat(timespec="seconds"),
        "cores": os.cpu_count(),
        "on": versions(),
    }


def _raw(killed: Killed) -> dict[str, object]:
    return {
        "catalog": killed.catalog,
        "layout": killed.kill.layout.value,
        "build": killed.build.value,
        "killed when": str(killed.kill.point),
        "shown": "new" if killed.kill.point.is_published else "old",
        **asdict(killed.aftermath),
        "seconds": killed.seconds,
    }


if __name__ == "__main__":
    main()
