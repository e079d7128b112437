"""Invocations of dbt in one process, one after the other, as an orchestrator makes them.

    PYTHONPATH=tests/support python tests/support/functional/invocations.py WHAT...

Each is a JSON list of dbt's arguments; or "session": the process makes one of its own there; or
"settings": it prints some of its session's; or "stop": Spark is stopped there. It fails with the
first invocation that does.
"""

import json
import sys

from dbt.cli.main import dbtRunner
from pyspark.sql import SparkSession

from functional.quick_dbt import quicken_dbt

SESSION, SETTINGS, STOP = "session", "settings", "stop"
SHOWN = "spark.sql.session.timeZone", "spark.sql.ansi.enabled", "own.one"


def main() -> None:
    """Do it."""
    quicken_dbt()
    for what in sys.argv[1:]:
        if what == STOP:
            SparkSession.active().stop()
        elif what == SESSION:
            session = SparkSession.builder.enableHiveSupport().getOrCreate()
            session.sparkContext.setJobGroup("own", "jobs of its own")
        elif what == SETTINGS:
            session = SparkSession.active()
            set_to = [session.conf.get(name, None) for name in SHOWN]
            group = session.sparkContext.getLocalProperty("spark.jobGroup.id")
            database = session.catalog.currentDatabase()
            print("settings:", *set_to, database, group)  # noqa: T201 (for a test)
        elif not dbtRunner().invoke(json.loads(what)).success:
            sys.exit(1)


if __name__ == "__main__":
    main()
