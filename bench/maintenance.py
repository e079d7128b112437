"""Whether ordinary maintenance loses anything while 200 versions are published and builds killed.

    PYTHONPATH=tests/support python bench/maintenance.py --table iceberg-rest --out FILE

One process publishes version after version of a table, and is killed now and then in the middle of
a build. Another compacts the table, rewrites its manifests, expires all but twenty snapshots,
removes orphans and moves a tag (on Delta: OPTIMIZE and VACUUM), one after the other, again and
again. A third reads, and looks the table up for each read: files of a snapshot that has expired are
gone for a session that looked it up before. At the end every version is read that the table has
kept. The metastore is on PostgreSQL.
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

from readers.maintained import Life, live
from readers.tables import Choice, tables_on_postgresql
from results_file import write_figures
from servers.versions import versions

TABLES = [one for one in Choice if one is not Choice.FILES]
SHOWN = 20


def main() -> None:
    """Run, print and keep the figures; fail if a promise was broken."""
    options = _options()
    started = time.monotonic()
    with (
        tempfile.TemporaryDirectory() as directory,
        tables_on_postgresql(options.table, Path(directory)) as tables,
    ):
        life = live(
            tables,
            Path(directory),
            commits=options.commits,
            kills=options.kills,
        )
        on = {**versions(), **tables.versions}
    figures = {
        "table": options.table.value,
        **_counts(life),
        "seconds": round(time.monotonic() - started, 1),
        "finished": datetime.now(tz=timezone.utc).isoformat(timespec="seconds"),
        "cores": os.cpu_count(),
        "on": on,
    }
    print(json.dumps(figures, indent=1))
    if options.out:
        write_figures(options.out, figures)
    sys.exit(bool(life.violations))


def _counts(life: Life) -> dict[str, object]:
    return {
        "commits": len(life.commits),
        "kills": len(life.killed),
        "models failed": len(life.failed),
        **asdict(life.verdict),
        "versions": len(life.verdict.versions),
        "maintenance": dict(life.maintained),
        "maintenance refused": dict(life.refused.most_common(SHOWN)),
        "kept versions read whole": life.whole,
        "violations": life.violations[:SHOWN],
    }


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--table", type=Choice, choices=TABLES, required=True)
    parser.add_argument("--commits", type=int, default=200)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


if __name__ == "__main__":
    main()
