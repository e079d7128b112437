"""List what the last dbt run published; fail if a table of it is not as it should be.

Run it in the project's directory: it reads target/run_results.json and target/manifest.json.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TARGET = Path("target")
TABLES = ("atomic_table", "table")
AS_IT_SHOULD_BE = ("committed", "kept")


@dataclass(frozen=True)
class Publication:
    """What the run's results say of one table."""

    model: str
    outcome: str
    version: str
    rows: str


def read(name: str) -> Any:
    """Read one of dbt's artifacts."""
    return json.loads((TARGET / name).read_text(encoding="utf-8"))


def publications() -> Iterator[Publication]:
    """Find the results of models that are tables."""
    nodes = read("manifest.json")["nodes"]
    for result in read("run_results.json")["results"]:
        node = nodes.get(result["unique_id"], {})
        if node.get("config", {}).get("materialized") in TABLES:
            response = result["adapter_response"]
            rows = response.get("rows_affected")
            yield Publication(
                model=node["name"],
                outcome=response.get("outcome", result["status"]),
                version=response.get("version", "-"),
                rows=f"{rows:,}" if isinstance(rows, int) and rows >= 0 else "-",
            )


def main() -> int:
    """Print one line for each table; return the exit code."""
    found = sorted(publications(), key=lambda publication: publication.model)
    for each in found:
        print(f"  {each.model:<32} {each.outcome:<10} {each.rows:>9} rows  version {each.version}")
    wrong = [each.model for each in found if each.outcome not in AS_IT_SHOULD_BE]
    if wrong or not found:
        print(f"Not published: {', '.join(wrong) or 'there is no table in this run'}")
        return 1
    print(f"  {len(found)} tables, every one whole")
    return 0


if __name__ == "__main__":
    sys.exit(main())
