"""Models of a project as sources of the same, and what dbt says of their freshness."""

import json
from collections.abc import Mapping
from typing import Any

from functional.dbt_project import Project, Run

OF_THE_MODELS = """
sources:
- name: built
  schema: "{{{{ target.schema }}}}"
  config: {{freshness: {{error_after: {{count: 1, period: hour}}}}}}
  tables: [{}]
"""


def freshness(project: Project) -> tuple[Run, Mapping[str, Mapping[str, Any]]]:
    """``dbt source freshness``, and what its results say of each table."""
    run = project.dbt("source", "freshness")
    results = json.loads((project.directory / "target" / "sources.json").read_text())["results"]
    return run, {one["unique_id"].rpartition(".")[2]: one for one in results}
