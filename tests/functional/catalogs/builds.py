r"""A process that builds a project and reads it: Spark's in-memory catalog ends with its process.

    PYTHONPATH=tests python tests/functional/catalogs/builds.py --out FILE --asked \
        '{"directory": "...", "schema": "...", "conf": {...}, "query": "..."}'

Each line of stdin holds a build's variables, or ``null`` only to read. Each line of FILE after the
first is the answer: every model's adapter_response, and the rows of the query.
"""

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from functional.dbt_project import Project
from readers.journal import append


def main() -> None:
    """Answer until stdin closes."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--asked", type=json.loads, required=True)
    parser.add_argument("--out", type=Path, required=True)
    options = parser.parse_args()
    asked = options.asked
    project = Project(Path(asked["directory"]), asked["schema"], asked["conf"])
    with options.out.open("a") as journal:
        append(journal, {"ready": time.monotonic()})
        for line in sys.stdin:
            append(journal, _answer(project, json.loads(line), asked["query"]))


def _answer(project: Project, variables: dict[str, Any] | None, query: str) -> dict[str, Any]:
    results = {} if variables is None else project.build(**variables).results
    return {
        "responses": {model: results[model]["adapter_response"] for model in results},
        "rows": [row.asDict() for row in project.rows(query)],
    }


if __name__ == "__main__":
    main()
