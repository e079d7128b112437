"""Whether any of 2,000 reads fails or mixes versions while 100 are published.

    PYTHONPATH=tests/support python bench/many_reads.py --out bench/results/many_reads.json

``--table delta`` and the like are the same on other formats.

Three processes read in turn in two sessions each: one looks the table up for each read, the other
never again after its first. A writer changes the table's schema and partition values with each
version, and the format of files: on a server with default settings such a publication says that
one read may mix two versions, and a mixed read during it is counted as excused. ``--same`` keeps
schema and format, and ``--isolation repeatable-read`` sets the server so and declares it in the
profile: then none may. The metastore is a server on PostgreSQL.

``--over connect`` or ``thrift``: dbt writes files over a Spark server, whose metastore is a server
on Derby with its default settings. ``--metastore``: that of files is a server on MariaDB, or of
another Hive, on Derby. ``--place``: files lie on S3A or HDFS, or the tasks run on a cluster, also
where spark-submit starts dbt; the metastore is on Derby.
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, replace
from datetime import datetime, timezone
from pathlib import Path

from readers.reader import Mode
from readers.tables import (
    METASTORES,
    Choice,
    SharedTables,
    tables_at,
    tables_on,
    tables_on_postgresql,
    tables_over,
)
from readers.trial import Trial, run_trial
from real_places.shared import PLACES
from results_file import write_figures
from servers.metastore_on_postgresql import ISOLATION, REPEATABLE_READ
from servers.versions import versions


def main() -> None:
    """Run, print and keep the figures; fail if a read did."""
    options = _options()
    started = time.monotonic()
    settings = {ISOLATION: options.isolation} if options.isolation else {}
    declared = {"metastore_reads": "repeatable"} if settings else {}
    with (
        tempfile.TemporaryDirectory() as directory,
        _tables(options, Path(directory), settings) as tables,
    ):
        profile = {**tables.profile, **declared}
        trial = _trial(options, replace(tables, profile=profile), Path(directory))
        figures = _figures(trial, options, tables.versions, time.monotonic() - started)
    print(json.dumps(figures, indent=1))
    if options.out:
        write_figures(options.out, figures)
    sys.exit(bool(trial.fresh.violations or trial.stale.violations))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reads", type=int, default=2_000)
    parser.add_argument("--commits", type=int, default=100)
    parser.add_argument("--processes", type=int, default=3)
    parser.add_argument("--table", type=Choice, choices=list(Choice), default=Choice.FILES)
    parser.add_argument("--over", choices=["connect", "thrift"], help="a server that dbt writes by")
    parser.add_argument("--metastore", choices=METASTORES, help="that of files")
    parser.add_argument("--place", choices=list(PLACES), help="where files lie and tasks run")
    parser.add_argument("--same", action="store_true", help="one schema for all versions")
    parser.add_argument(
        "--isolation", choices=[REPEATABLE_READ], help="instead of the server's default"
    )
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def _tables(
    options: argparse.Namespace, directory: Path, settings: Mapping[str, str]
) -> AbstractContextManager[SharedTables]:
    if options.over:
        return tables_over(options.over, directory)
    if options.metastore:
        return tables_on(options.metastore, directory)
    if options.place:
        return tables_at(PLACES[options.place](directory))
    return tables_on_postgresql(options.table, directory, settings)


def _trial(options: argparse.Namespace, tables: SharedTables, directory: Path) -> Trial:
    return run_trial(
        tables,
        [[Mode.FRESH, Mode.STALE]] * options.processes,
        reads=options.reads,
        commits=options.commits,
        directory=directory,
        same=options.same,
    )


def _figures(
    trial: Trial, options: argparse.Namespace, formats: Mapping[str, str], seconds: float
) -> dict[str, object]:
    verdicts = {"fresh": asdict(trial.fresh), "never refreshed": asdict(trial.stale)}
    for verdict in verdicts.values():
        verdict["versions"] = len(verdict["versions"])
    counted = ("overtaken", "failed", "mixed", "empty", "partial", "excused")
    return {
        "table": options.table.value,
        "written over": options.over or "a session",
        "metastore": options.metastore or "Spark's own Hive",
        "place": options.place or "local",
        "reads": trial.reads,
        "commits": len(trial.commits),
        **{kind: sum(verdict[kind] for verdict in verdicts.values()) for kind in counted},
        "reading processes": options.processes,
        "sessions": verdicts,
        "one schema": options.same,
        "isolation of the metastore's database": options.isolation or "the server's default",
        "publications": Counter(f"{one.level}, {one.reader_window}" for one in trial.commits),
        "seconds": round(seconds, 1),
        "finished": datetime.now(tz=timezone.utc).isoformat(timespec="seconds"),
        "cores": os.cpu_count(),
        "on": {**versions(), **formats},
    }


if __name__ == "__main__":
    main()
