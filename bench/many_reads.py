"""Whether any of 2,000 reads fails or mixes versions while 100 are published.

    PYTHONPATH=tests python bench/many_reads.py --out bench/results/many_reads.json

Three processes read in turn in two sessions each: one looks the table up for each read, the other
never again after its first. A writer changes the table's schema, partition values and format with
each version. The metastore is a server on PostgreSQL, at repeatable read.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from dataclasses import asdict
from datetime import datetime, timezone
from pathlib import Path

from readers.reader import Mode
from readers.trial import Trial, run_trial
from servers.metastore_on_postgresql import WHOLE_READS, running_metastore_on_postgresql
from servers.versions import versions

PROCESSES = 3


def main() -> None:
    """Run, print and keep the figures; fail if a read did."""
    options = _options()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as directory:
        trial = _trial(options, Path(directory))
    figures = _figures(trial, time.monotonic() - started, options.isolation)
    print(json.dumps(figures, indent=1))
    if options.out:
        options.out.write_text(json.dumps(figures, indent=1) + "\n")
    sys.exit(bool(trial.fresh.violations or trial.stale.violations))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reads", type=int, default=2_000)
    parser.add_argument("--commits", type=int, default=100)
    parser.add_argument("--isolation", default="repeatable-read", help="the server's own")
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def _trial(options: argparse.Namespace, directory: Path) -> Trial:
    (isolation,) = WHOLE_READS
    with running_metastore_on_postgresql(
        directory / "metastore", directory / "warehouse", {isolation: options.isolation}
    ) as server:
        return run_trial(
            server.spark_conf(),
            [[Mode.FRESH, Mode.STALE]] * PROCESSES,
            reads=options.reads,
            commits=options.commits,
            directory=directory,
        )


def _figures(trial: Trial, seconds: float, isolation: str) -> dict[str, object]:
    verdicts = {"fresh": asdict(trial.fresh), "never refreshed": asdict(trial.stale)}
    for verdict in verdicts.values():
        verdict["versions"] = len(verdict["versions"])
    counted = ("failed", "mixed", "empty", "partial")
    return {
        "reads": trial.reads,
        "commits": len(trial.commits),
        **{kind: sum(verdict[kind] for verdict in verdicts.values()) for kind in counted},
        "reading processes": PROCESSES,
        "sessions": verdicts,
        "isolation of the metastore's database": isolation,
        "seconds": round(seconds, 1),
        "finished": datetime.now(tz=timezone.utc).isoformat(timespec="seconds"),
        "cores": os.cpu_count(),
        "on": versions(),
    }


if __name__ == "__main__":
    main()
