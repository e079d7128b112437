"""Whether a run that gets SIGINT or SIGTERM at a random moment says what became of each model.

    PYTHONPATH=tests/support python bench/signals.py --out bench/results/signals.json

Each run is the command dbt with four models and two threads, on a remote metastore. The moments are
times from its start to its end, calls to the metastore, and commit calls: the signal is sent while
the server has not answered yet. A run that was over before its moment is repeated with another one.
After each, what it said is compared with what is published, and the next run and a vacuum leave
nothing.
"""

import argparse
import json
import os
import secrets
import signal
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from datetime import datetime, timezone
from itertools import count
from pathlib import Path
from random import Random

from faults.several import written
from faults.signal_moments import CountingProxy
from faults.signalled import Signalled, Trial
from functional.dbt_project import Project
from functional.outside import Outside
from readers.session import SMALL
from results_file import write_figures
from servers.metastore import running_metastore
from servers.versions import versions

SCHEMA = "signalled"
SIGNALS = (signal.SIGINT, signal.SIGTERM)


def main() -> None:
    """Send, print and keep the figures; fail if a promise was broken."""
    options = _options()
    print(f"seed {options.seed}")
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as directory:
        done = list(_signalled(options, Path(directory)))
    figures = {"seed": options.seed, **_figures(done, time.monotonic() - started)}
    _print(done)
    print(json.dumps({name: figures[name] for name in figures if name != "each"}, indent=1))
    if options.out:
        write_figures(options.out, figures)
    sys.exit(bool(figures["violations"]))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--each", type=int, default=20, help="how often each signal is sent")
    parser.add_argument("--seed", type=int, default=secrets.randbelow(10**6))
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def _signalled(options: argparse.Namespace, directory: Path) -> Iterator[Signalled]:
    random, numbers = Random(options.seed), count(1, step=2)  # noqa: S311 (no secret)
    with running_metastore(directory / "server", directory / "warehouse") as server:
        proxy = CountingProxy(server.port)
        uris = {"spark.hadoop.hive.metastore.uris": proxy.uri}
        project = Project(directory / "project", SCHEMA, {**SMALL, **server.spark_conf(), **uris})
        trial = Trial(written(project, Outside(server, SCHEMA)), proxy)
        trial.undisturbed(next(numbers))
        span = trial.undisturbed(next(numbers))
        for sent in SIGNALS:
            left = options.each
            while left:
                one = trial.signalled(next(numbers), sent, span.moment(random, SCHEMA))
                if one is not None:
                    left -= 1
                    print(_line(one), flush=True)
                    yield one


def _line(one: Signalled) -> str:
    said = "; ".join(one.violations) or f"{one.published} published, {one.canceled} cancelled"
    return f"{one.sent.name} {one.moment}: {said} (code {one.code})"


def _print(done: Sequence[Signalled]) -> None:
    print("| signal | moment | published of 4 | cancelled | exit code | violations |")
    print("|---|---|---|---|---|---|")
    for one in done:
        figures = (one.published, one.canceled, one.code, len(one.violations))
        print(f"| {one.sent.name} | {one.moment} | " + " | ".join(map(str, figures)) + " |")


def _figures(done: Sequence[Signalled], seconds: float) -> dict[str, object]:
    return {
        "signals": {sent.name: sum(one.sent is sent for one in done) for sent in SIGNALS},
        "runs": {
            "with nothing published": sum(one.published == 0 for one in done),
            "with something published": sum(one.published > 0 for one in done),
            "with something cancelled": sum(one.canceled > 0 for one in done),
        },
        "violations": [_line(one) for one in done if one.violations],
        "left": {
            "paths": sum(len(one.surplus.paths) for one in done),
            "bytes": sum(one.surplus.bytes for one in done),
            "entries": sum(len(one.surplus.entries) for one in done),
        },
        "longest life of a JVM after dbt, in seconds": max(one.jvm_seconds for one in done),
        "each": [_raw(one) for one in done],
        "seconds": round(seconds, 1),
        "finished": datetime.now(tz=timezone.utc).isoformat(timespec="seconds"),
        "cores": os.cpu_count(),
        "on": versions(),
    }


def _raw(one: Signalled) -> dict[str, object]:
    return {
        "signal": one.sent.name,
        "moment": str(one.moment),
        "published": one.published,
        "cancelled": one.canceled,
        "exit code": one.code,
        "violations": one.violations,
    }


if __name__ == "__main__":
    main()
