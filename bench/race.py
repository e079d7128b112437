"""Whether of 6 writers that commit over one table at the same moment one wins, 20 times.

    PYTHONPATH=tests python bench/race.py --out bench/results/race.json

Each writer is a process with a Spark session. In a round, all begin on one version, stage theirs by
a CTAS, and are then released together. The metastore is a server on PostgreSQL, at repeatable read.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import datetime, timezone
from pathlib import Path

from readers.race import run_race
from readers.race_judge import Round, judge_race
from servers.metastore_on_postgresql import running_metastore_on_postgresql
from servers.versions import versions


def main() -> None:
    """Run, print and keep the figures; fail if a round went wrong."""
    options = _options()
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as directory:
        rounds = _rounds(options, Path(directory))
    figures = _figures(rounds, time.monotonic() - started)
    print(json.dumps(figures, indent=1))
    if options.out:
        options.out.write_text(json.dumps(figures, indent=1) + "\n")
    sys.exit(bool(figures["violations"]))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rivals", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def _rounds(options: argparse.Namespace, directory: Path) -> list[Round]:
    with running_metastore_on_postgresql(
        directory / "metastore", directory / "warehouse"
    ) as server:
        return run_race(
            server.spark_conf(),
            rivals=options.rivals,
            rounds=options.rounds,
            directory=directory,
        )


def _figures(rounds: Sequence[Round], seconds: float) -> dict[str, object]:
    return {
        "rivals": len(rounds[0].attempts),
        "rounds": len(rounds),
        "commits": sum(len(one.winners) for one in rounds),
        "refused": sum(len(one.losers) for one in rounds),
        "refused while the winner's commit was under way": sum(one.overlapping for one in rounds),
        "violations": judge_race(rounds),
        "last winner": rounds[-1].winners[0].number if rounds[-1].winners else None,
        "rows seen last are of": rounds[-1].seen,
        "a refusal": next((one.losers[0].message for one in rounds if one.losers), None),
        "seconds": round(seconds, 1),
        "finished": datetime.now(tz=timezone.utc).isoformat(timespec="seconds"),
        "cores": os.cpu_count(),
        "on": versions(),
    }


if __name__ == "__main__":
    main()
