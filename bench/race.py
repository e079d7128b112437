"""Whether of 6 writers that commit over one table at the same moment one wins, 20 times.

    PYTHONPATH=tests/support python bench/race.py --out bench/results/race.json

``--table delta`` and the like are the same on other formats.

Each writer is a process with a Spark session. In a round, all begin on one version, stage theirs by
a CTAS, and are then released together. The metastore is a server on PostgreSQL.

``--plain`` is the control: each writer, when it is released, runs one CREATE OR REPLACE TABLE AS of
the format's own. It fails if none of those overwrote another's unseen.

With ``--over connect`` or ``thrift``, the writers have no JVM: each is a client of one Spark
Connect or Thrift server, whose metastore is a server on Derby with its default settings.
``--metastore``: that of files is a server on MariaDB, or of another Hive, on Derby.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import datetime, timezone
from pathlib import Path

from readers.race import FIRST, run_race
from readers.race_judge import Round, judge_race
from readers.rival import Writers
from readers.tables import (
    HIVE_4,
    MARIADB,
    Choice,
    SharedTables,
    tables_on,
    tables_on_postgresql,
    tables_over,
)
from results_file import write_figures
from servers.versions import versions


def main() -> None:
    """Run, print and keep the figures; fail if a round went wrong."""
    options = _options()
    started = time.monotonic()
    with (
        tempfile.TemporaryDirectory() as directory,
        _tables(options, Path(directory)) as tables,
    ):
        rounds = run_race(
            tables,
            Writers.PLAIN if options.plain else Writers.STAGING,
            rivals=options.rivals,
            rounds=options.rounds,
            directory=Path(directory),
        )
        figures = _figures(rounds, options, tables.versions, time.monotonic() - started)
    print(json.dumps(figures, indent=1))
    if options.out:
        write_figures(options.out, figures)
    sys.exit(not figures["overwritten"] if options.plain else bool(figures["violations"]))


def _tables(options: argparse.Namespace, directory: Path) -> AbstractContextManager[SharedTables]:
    if options.over:
        return tables_over(options.over, directory)
    if options.metastore:
        return tables_on(options.metastore, directory)
    return tables_on_postgresql(options.table, directory)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rivals", type=int, default=6)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--table", type=Choice, choices=list(Choice), default=Choice.FILES)
    parser.add_argument(
        "--over", choices=["connect", "thrift"], help="a server that the writers write by"
    )
    parser.add_argument("--metastore", choices=[MARIADB, HIVE_4], help="that of files")
    parser.add_argument("--plain", action="store_true", help="the control")
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def _figures(
    rounds: Sequence[Round],
    options: argparse.Namespace,
    formats: Mapping[str, str],
    seconds: float,
) -> dict[str, object]:
    return {
        "table": options.table.value,
        "written over": options.over or "a session",
        "metastore": options.metastore or "Spark's own Hive",
        "writers": (Writers.PLAIN if options.plain else Writers.STAGING).value,
        "rivals": len(rounds[0].attempts),
        "rounds": len(rounds),
        "commits": sum(len(one.winners) for one in rounds),
        "refused": sum(len(one.losers) for one in rounds),
        "overwritten": sum(one.overwritten for one in rounds),
        "refused while the winner's commit was under way": sum(one.overlapping for one in rounds),
        "violations": judge_race(rounds, FIRST if options.plain else None),
        "last winners": [winner.number for winner in rounds[-1].winners],
        "rows seen last are of": rounds[-1].seen,
        "a refusal": next((one.losers[0].message for one in rounds if one.losers), None),
        "seconds": round(seconds, 1),
        "finished": datetime.now(tz=timezone.utc).isoformat(timespec="seconds"),
        "cores": os.cpu_count(),
        "on": {**versions(), **formats},
    }


if __name__ == "__main__":
    main()
