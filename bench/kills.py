"""Whether a kill -9 at any step leaves what the level promises, and nothing after the next run.

    PYTHONPATH=tests/support python bench/kills.py --out bench/results/kills.json

For each catalog, layout and kind of build, a dbt run is stopped at each side of each step, and
killed, its JVM included. The next process then sees the old table or the new one, whole; after its
run and a vacuum of whatever age, storage and metastore hold the live version and the kept one. It
is itself killed at the next point.
An embedded metastore is on Derby. The remote one is on PostgreSQL and has lock tables, without
which no partitions are tracked. `--catalog delta`, `iceberg-hive`, `iceberg-session`,
`iceberg-jdbc`, `iceberg-rest` or `iceberg-hadoop` does the same to a format's table, whose old
versions stay. A run of some of the columns keeps the others' figures in the file.
"""

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from datetime import datetime, timezone
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from faults.kill_places import FORMATS, PLACES
from faults.kill_points import Build, Layout, Point, points
from faults.kills import Killed, kills
from results_file import write_figures
from servers.jars import DELTA, ICEBERG
from servers.versions import versions

Row = dict[str, Any]
JARS = (ICEBERG, DELTA)
LEFT = ("paths", "bytes", "entries", "locks")


def main() -> None:
    """Kill, print and keep the figures; fail if a promise was broken."""
    options = _options()
    with tempfile.TemporaryDirectory() as directory:
        rows = [_row(killed) for killed in _kills(options, Path(directory))]
    figures = _figures([*_kept(options.out, rows), *rows])
    _print(figures["each"])
    print(json.dumps({name: figures[name] for name in ("kills", "violations", "left")}, indent=1))
    if options.out:
        write_figures(options.out, figures)
    sys.exit(bool(figures["violations"]))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--catalog", choices=[*PLACES, *FORMATS], action="append")
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
    native = catalog in FORMATS
    layouts = [Layout.UNPARTITIONED] if native else options.layout or Layout
    with {**PLACES, **FORMATS}[catalog](directory / catalog) as place:
        for layout in layouts:
            for build in options.build or Build:
                chosen = _chosen(options, points(layout, build, native=native))
                for killed in kills(place, layout, build, chosen):
                    print(_line(_row(killed)), flush=True)
                    done.append(killed)
    return done


def _chosen(options: argparse.Namespace, reached: Iterator[Point]) -> Iterator[Point]:
    found = (one for one in reached if options.step is None or one.step in options.step)
    return islice(found, options.limit)


def _row(killed: Killed) -> Row:
    return {
        "column": f"{killed.catalog}, {killed.kill.layout.value}, {killed.build.value}",
        "killed when": str(killed.kill.point),
        "shown": "new" if killed.kill.point.is_published else "old",
        **asdict(killed.aftermath),
        "seconds": killed.seconds,
    }


def _kept(out: Path | None, rows: Sequence[Row]) -> list[Row]:
    """The columns of earlier runs on the same versions, but for those of this run."""
    if out is None or not out.exists():
        return []
    earlier = json.loads(out.read_text())
    anew = {row["column"] for row in rows}
    same = earlier["on"] == _versions({*anew, *earlier["columns"]})
    return [row for row in earlier["each"] if same and row["column"] not in anew]


def _versions(columns: AbstractSet[str]) -> Mapping[str, str]:
    """Of everything; of the formats' jars only where a format's table was killed."""
    native = any(column.split(",")[0] in FORMATS for column in columns)
    return {**versions(), **({jar.artifact: jar.version for jar in JARS} if native else {})}


def _line(row: Row) -> str:
    said = "; ".join(row["violations"]) or "as promised"
    return f"{row['column']}, {row['killed when']}: {said} ({row['seconds']} s)"


def _print(rows: Sequence[Row]) -> None:
    columns = list(dict.fromkeys(row["column"] for row in rows))
    cells = {(row["killed when"], row["column"]): _cell(row) for row in rows}
    print("| killed when | " + " | ".join(columns) + " |")
    print("|---" * (len(columns) + 1) + "|")
    for point in dict.fromkeys(row["killed when"] for row in rows):
        print(f"| {point} | " + " | ".join(cells.get((point, one), "") for one in columns) + " |")


def _cell(row: Row) -> str:
    return "BROKEN" if row["violations"] else f"{row['shown']}, 0 left"


def _figures(rows: Sequence[Row]) -> Row:
    return {
        "kills": len(rows),
        "columns": dict(Counter(row["column"] for row in rows)),
        "violations": [_line(row) for row in rows if row["violations"]],
        "left": {name: sum(row[name] for row in rows) for name in LEFT},
        "each": list(rows),
        "seconds": round(sum(row["seconds"] for row in rows), 1),
        "finished": datetime.now(tz=timezone.utc).isoformat(timespec="seconds"),
        "cores": os.cpu_count(),
        "on": _versions({row["column"] for row in rows}),
    }


if __name__ == "__main__":
    main()
