"""Whether any of 2,000 reads of a project with every kind of node fails or mixes two builds.

    PYTHONPATH=tests/support python bench/every_kind.py --out bench/results/every_kind.json

A seed, a table, a view, a Python model, an incremental model of each strategy and a snapshot, on
files and on Delta, are built round after round by `dbt build`, each time by a process of its own;
every third round is a full refresh. Two processes read all of them in turn. A build of each of the
first rounds is killed with kill -9 at another node; then all nodes are read before the next build,
which has to succeed. With --adapter spark the same happens to the nodes that the stock adapter can
build, as the control. The metastore is a server on PostgreSQL with default settings.
"""

import argparse
import json
import math
import os
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from every_node.life import Life, Limits, live
from every_node.project import NODES, STOCK
from readers.tables import Choice, tables_on_postgresql
from results_file import write_figures
from servers.versions import versions

COUNTED = ("reads", "failed", "mixed", "empty", "partial")
SHOWN = 20


def main() -> None:
    """Run, print and keep the figures; fail if a promise was broken."""
    options = _options()
    limits = Limits(options.reads, options.kills, options.readers, options.minutes * 60)
    started = time.monotonic()
    with (
        tempfile.TemporaryDirectory() as directory,
        tables_on_postgresql(Choice.DELTA, Path(directory)) as tables,
    ):
        life = live(tables, options.adapter, limits, Path(directory))
        formats = tables.versions
    kept = {
        "table": "every kind of node",
        "adapter": options.adapter,
        **_figures(life, options.adapter),
        "reading processes": options.readers,
        "seconds": round(time.monotonic() - started, 1),
        "finished": datetime.now(tz=timezone.utc).isoformat(timespec="seconds"),
        "cores": os.cpu_count(),
        "on": {**versions(), **formats},
    }
    print(json.dumps(kept, indent=1))
    if options.out:
        write_figures(options.out, kept)
    sys.exit(bool(kept["violations"]))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reads", type=int, default=2_000)
    parser.add_argument("--kills", type=int, default=12)
    parser.add_argument("--readers", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=math.inf, help="end then, with fewer")
    parser.add_argument("--adapter", choices=["ctas_spark", STOCK], default="ctas_spark")
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def _figures(life: Life, adapter: str) -> dict[str, Any]:
    verdicts = {name: asdict(verdict) for name, verdict in life.verdicts().items()}
    each = [
        {"node": name, **{kind: one[kind] for kind in COUNTED}, "rounds seen": len(one["versions"])}
        for name, one in verdicts.items()
    ]
    shown = Counter(one for kill in life.kills for one in kill.shown.values())
    control = adapter == STOCK
    left_out = {name: node.not_in_stock for name, node in NODES.items() if node.not_in_stock}
    return {
        **{kind: sum(one[kind] for one in each) for kind in COUNTED},
        "commits": len(life.commits),
        "failed builds": len(life.failed),
        "kills": len(life.kills),
        "shown after a kill": dict(sorted(shown.items())),
        "nodes": each,
        "each kill": [asdict(kill) for kill in life.kills],
        "not in stock": left_out if control else {},
        "why builds failed": life.failed[:SHOWN],
        "violations": [] if control else life.violations()[:SHOWN],
    }


if __name__ == "__main__":
    main()
