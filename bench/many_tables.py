"""How long `ctas_vacuum` takes where there are 5,000 tables in 500 schemas, and 1,000 dead runs.

    PYTHONPATH=tests/support python bench/many_tables.py --out bench/results/many_tables.json

dbt builds the tables, of one row each. Then a process begins a version of each of the first 1,000,
writes a file into it, and ends. Two vacuums follow: one deletes what was begun, and one finds
nothing to do. The metastore is a server on Derby with its default settings. It takes 20 minutes.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from ctas_spark.files.directories import FOLDER
from faults.numbered import SWEEP_ALL
from functional.dbt_project import Project
from readers.session import SMALL
from results_file import write_figures
from servers.metastore import running_metastore
from servers.versions import versions

PROGRAM = """
import json, os, sys, threading
from ctas_spark.catalogs.session import CatalogsWithJvm
from ctas_spark.context import StagingContext, TableName
from ctas_spark.engines.launch import start_spark
from ctas_spark.engines.session import SessionJob
conf, tables, logs = json.loads(sys.argv[1]), json.loads(sys.argv[2]), sys.argv[3]
spark = start_spark(conf, logs)
opened = CatalogsWithJvm(spark)
for schema, table in tables:
    context = StagingContext(TableName(schema, table), f"{schema}__ctas_spark")
    job = SessionJob(spark, f"{schema}.{table}", threading.Event())
    job.attach()
    staged = opened.catalog_for(context).plan(context, job).begin()
    spark.sql(staged.statement("select 1 as id"))
os._exit(0)
"""
SCHEMA = "many"


def main() -> None:
    """Build, leave, measure and keep the figures; fail if anything is left."""
    options = _options()
    with (
        tempfile.TemporaryDirectory() as directory,
        running_metastore(Path(directory) / "metastore", Path(directory) / "warehouse") as server,
    ):
        conf = {**SMALL, "spark.driver.memory": "2g", **server.spark_conf()}
        project = Project(Path(directory) / "project", SCHEMA, conf)
        project.write(_models(options.tables, options.schemas))
        project.write_profile(threads=4)
        built = _seconds(project, "run")
        begun = [(_schema(n, options.schemas), f"m{n}") for n in range(options.orphans)]
        program = (sys.executable, "-c", PROGRAM, json.dumps(conf), json.dumps(begun), directory)
        subprocess.run(program, check=True)  # noqa: S603 (the program above)
        before = _versions(server.warehouse)
        vacuum = ("run-operation", "ctas_vacuum", f"--args={json.dumps(SWEEP_ALL)}")
        figures: dict[str, Any] = {
            "tables": options.tables,
            "schemas": options.schemas,
            "begun by a process that ended": options.orphans,
            "seconds of the build": built,
            "versions before": before,
            "seconds of the vacuum that deletes them": _seconds(project, *vacuum),
            "versions after it": (after := _versions(server.warehouse)),
            "seconds of one with nothing to do": _seconds(project, *vacuum),
        }
    figures |= {
        "finished": datetime.now(tz=timezone.utc).isoformat(timespec="seconds"),
        "cores": os.cpu_count(),
        "on": versions(),
    }
    print(json.dumps(figures, indent=1))
    if options.out:
        write_figures(options.out, figures)
    sys.exit(before != options.tables + options.orphans or after != options.tables)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tables", type=int, default=5_000)
    parser.add_argument("--schemas", type=int, default=500)
    parser.add_argument("--orphans", type=int, default=1_000)
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def _models(tables: int, schemas: int) -> Mapping[str, str]:
    def model(number: int) -> str:
        config = f"materialized='table', schema='{_custom(number, schemas)}'"
        return f"{{{{ config({config}) }}}} select {number} as id"

    return {f"models/m{number}.sql": model(number) for number in range(tables)}


def _custom(number: int, schemas: int) -> str:
    return f"s{number % schemas}"


def _schema(number: int, schemas: int) -> str:
    return f"{SCHEMA}_{_custom(number, schemas)}"


def _seconds(project: Project, *arguments: str) -> float:
    """Those of an invocation of dbt in a process of its own, which has to succeed."""
    dbt = [str(Path(sys.executable).with_name("dbt")), *project.command(*arguments)]
    began = time.perf_counter()
    subprocess.run(dbt, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 (dbt alone)
    return round(time.perf_counter() - began, 1)


def _versions(warehouse: Path) -> int:
    """How many directories of versions there are."""
    return len(list(warehouse.glob(f"*/{FOLDER}/*/*/*")))


if __name__ == "__main__":
    main()
