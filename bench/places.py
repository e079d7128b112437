"""Whether each event leaves what the level promises, at one place, on a node of every kind.

    PYTHONPATH=tests/support python bench/places.py --place local --out bench/results/places.json

A seed, a table, a view, a Python model, an incremental model of each strategy and a snapshot, all
tables of files, are built, rebuilt, rolled back, changed and so on, each time by a process of its
own. For a kill, a Ctrl-C and a second writer, every node waits at the same point first. After each
event a session of Spark without the product reads all nodes, and storage and metastore are listed:
what is neither the live version nor the one before it is left over. The metastore is a server on
Derby with default settings. ``--event`` does only that one, after the events that it needs. The
file keeps the figures of other places, and is written after each event.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from real_places.events import EVENTS, Found, World
from real_places.shared import PLACES
from results_file import write_figures
from servers.versions import versions

NEEDED = ("build", "rebuild")


def main() -> None:
    """Let it happen, print and keep the figures; fail if a promise was broken."""
    options = _options()
    started = time.monotonic()
    with (
        tempfile.TemporaryDirectory() as directory,
        PLACES[options.place](Path(directory)) as place,
    ):
        rows: list[dict[str, Any]] = []
        for found in _events(World.made(place, Path(directory)), options.event):
            rows.append({"place": place.name, **asdict(found)})
            figures = _figures(options.out, rows, time.monotonic() - started)
            if options.out:
                write_figures(options.out, figures)
    print(json.dumps({name: figures[name] for name in ("places", "violations")}, indent=1))
    sys.exit(any(row["violations"] for row in rows))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--place", choices=list(PLACES), required=True)
    parser.add_argument("--event", choices=list(EVENTS))
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def _events(world: World, only: str | None) -> Iterator[Found]:
    for name in EVENTS:
        if only not in (None, name) and name not in NEEDED:
            continue
        started = time.monotonic()
        found = replace(_found(name, world), seconds=round(time.monotonic() - started, 1))
        print(f"{name}: {found.nodes}, left {dict(found.left)}", *found.violations, flush=True)
        yield found


def _found(event: str, world: World) -> Found:
    """An event that could not be brought about is a broken promise, too; others go on."""
    try:
        return EVENTS[event](world)
    except (AssertionError, TimeoutError, subprocess.TimeoutExpired) as error:
        return Found(event, {}, {}, [f"did not come about: {error}"])


def _figures(out: Path | None, rows: list[dict[str, Any]], seconds: float) -> dict[str, Any]:
    """With those of other places, and of what was left out here."""
    earlier = _earlier(out)
    anew = {(row["place"], row["event"]) for row in rows}
    kept = [row for row in earlier.get("each", []) if (row["place"], row["event"]) not in anew]
    of_place = {
        "seconds": round(seconds, 1),
        "finished": datetime.now(tz=timezone.utc).isoformat(timespec="seconds"),
        "dbt-ctas-spark": versions()["dbt-ctas-spark"],
    }
    each = [*kept, *rows]
    places = {**earlier.get("places", {}), rows[0]["place"]: of_place}
    return {
        "events": len(each),
        "places": places,
        "violations": [f"{_name(row)}: {one}" for row in each for one in row["violations"]],
        "each": each,
        "seconds": sum(one["seconds"] for one in places.values()),
        "finished": of_place["finished"],
        "cores": os.cpu_count(),
        "on": versions(),
    }


def _name(row: dict[str, Any]) -> str:
    return f"{row['place']}, {row['event']}"


def _earlier(out: Path | None) -> dict[str, Any]:
    if out is None or not out.exists():
        return {}
    earlier: dict[str, Any] = json.loads(out.read_text())
    return earlier


if __name__ == "__main__":
    main()
