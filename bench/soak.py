"""Whether anything is lost while runs race, are killed and are signalled for half an hour.

    PYTHONPATH=tests/support python bench/soak.py --out bench/results/soak.json

Two runs of one model are always under way, each a process of its own. At a random moment one may
get kill -9, SIGTERM or SIGINT; one that has not ended after ten minutes is given up. Two readers
look the table up for each read. At the end a last run and a vacuum clean up. With --adapter spark
the same happens to the stock adapter, as the control. All versions have one schema. The metastore
is a server on PostgreSQL.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from datetime import datetime, timezone
from pathlib import Path

from random_runs.judge import figures, judged
from random_runs.life import Limits, live
from results_file import write_figures
from servers.metastore_on_postgresql import running_metastore_on_postgresql
from servers.versions import versions

SHOWN = 20


def main() -> None:
    """Run, print and keep the figures; fail if a promise was broken."""
    options = _options()
    limits = Limits(options.minutes * 60, options.runs, options.readers, options.seed)
    started = time.monotonic()
    with (
        tempfile.TemporaryDirectory() as directory,
        running_metastore_on_postgresql(
            Path(directory) / "metastore", Path(directory) / "warehouse"
        ) as server,
    ):
        life = live(server, options.adapter, limits, Path(directory))
    violations = judged(life) if options.adapter == "ctas_spark" else []
    kept = {
        "adapter": options.adapter,
        **figures(life),
        "violations": violations[:SHOWN],
        "reading processes": options.readers,
        "seed": options.seed,
        "seconds": round(time.monotonic() - started, 1),
        "finished": datetime.now(tz=timezone.utc).isoformat(timespec="seconds"),
        "cores": os.cpu_count(),
        "on": versions(),
    }
    for run in life.runs:
        if any(f"Run {run.number} " in violation for violation in violations):
            print(f"What run {run.number} said, which met {run.met.value}:\n{run.log}")
    print(json.dumps(kept, indent=1))
    if options.out:
        write_figures(options.out, kept)
    sys.exit(bool(violations))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--runs", type=int, default=0, help="at least so many runs")
    parser.add_argument("--readers", type=int, default=2)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--adapter", choices=["ctas_spark", "spark"], default="ctas_spark")
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
