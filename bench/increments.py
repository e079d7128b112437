"""Whether each strategy, change of columns and contract gives the rows that it should.

    PYTHONPATH=tests/support python bench/increments.py iceberg --out increments-iceberg.json

All cells of functional.increment_matrix for one format (parquet, iceberg or delta) are built twice,
by two runs of dbt in this process; what each table then holds is compared with a model in plain
Python. It ends with 1 if a cell differs.
"""

import argparse
import json
import os
import sys
import tempfile
from datetime import datetime, timezone
from pathlib import Path

from functional.dbt_project import NAME, Project
from functional.increment_matrix import REFUSED, cells, differences
from results_file import write_figures
from servers.versions import versions

FORMATS = ("parquet", "iceberg", "delta")
CONF = {"spark.sql.shuffle.partitions": "2", "spark.default.parallelism": "2"}


def main() -> None:
    """Run, print and keep what each cell gave."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("format", choices=FORMATS)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    out, on = options.out and options.out.absolute(), versions()
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        project = _Embedded(Path(directory), "increments", CONF, {"format": options.format})
        found = differences(project, tuple(cells(options.format)))
    kept = {
        "format": options.format,
        "cells": [
            {
                "strategy": cell.strategy.value,
                "change": cell.change.value,
                "contract": cell.has_contract,
                "expected": REFUSED if cell.expected() == REFUSED else "rows",
                "differs": said,
            }
            for cell, said in found.items()
        ],
        "differences": sum(map(bool, found.values())),
        "finished": datetime.now(tz=timezone.utc).isoformat(timespec="seconds"),
        "on": on,
        "cores": os.cpu_count(),
    }
    print(json.dumps(kept, indent=1))
    if out:
        write_figures(out, kept)
    sys.exit(bool(kept["differences"]))


class _Embedded(Project):
    """A project whose Spark has a metastore of its own, in the project's directory."""

    def write_profile(self, adapter: str = "ctas_spark", **fields: object) -> None:
        """As users write it."""
        file_format = str(self.output["format"])
        formats = {} if file_format == "parquet" else {"formats": [file_format]}
        output = {
            "type": adapter,
            "schema": self.schema,
            "threads": 2,
            "spark_conf": dict(self.conf),
            **formats,
            **fields,
        }
        profile = {NAME: {"target": "test", "outputs": {"test": output}}}
        (self.directory / "profiles.yml").write_text(json.dumps(profile))


if __name__ == "__main__":
    main()
