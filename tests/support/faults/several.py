"""A project of four models, two of which wait for the other two; and what was said of each."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from faults.numbered import ROWS, SLEEPS, Numbered
from functional.dbt_project import Project
from functional.outside import Outside

AFTER = {"first": None, "second": None, "third": "first", "fourth": "second"}
TABLES = tuple(AFTER)
CONFIG = "materialized='atomic_table', versions_to_keep=0, grace_period=0"


def written(project: Project, outside: Outside) -> Numbered:
    """The project, with its models in it."""
    project.write({f"models/{table}.sql": _model(AFTER[table]) for table in TABLES})
    return Numbered(project, outside)


def _model(after: str | None) -> str:
    waits = f"-- depends_on: {{{{ ref('{after}') }}}}\n" if after else ""
    query = f"select {{{{ var('v') }}}} as v from range({ROWS}) where {SLEEPS}"
    return f"{waits}{{{{ config({CONFIG}) }}}} {query}"


class Built(Protocol):
    """What the tables hold."""

    def number(self, table: str) -> int:
        """The number that it was built with."""

    def version(self, table: str) -> str:
        """The version that it is."""


@dataclass(frozen=True, slots=True)
class Said:
    """What a run said on its console, and in run_results.json if it wrote one."""

    console: str
    results: Path

    def violations(self, built: Built, number: int) -> Iterator[str]:
        """Where what was said is not what there is, for a run that built ``number``."""
        statuses, versions = self._of_each("status"), self._versions()
        for table in TABLES:
            is_live = built.number(table) == number
            if is_live and not self.reports(table) and table not in versions:
                yield f"{table} is published, and was not reported as published"
            if is_live and self.cancels(table):
                yield f"{table} is published, and was reported as cancelled"
            if not is_live and self.reports(table):
                yield f"{table} was reported as published, and is not"
            if is_live and versions.get(table, built.version(table)) != built.version(table):
                yield f"{table} has another version than {versions[table]}, which was reported"
            if table in statuses and (statuses[table] == "success") != is_live:
                yield f"{table} has status {statuses[table]}; it is published: {is_live}"

    def reports(self, table: str) -> bool:
        """True if the console says that the model was published."""
        line = rf"OK created .*\.{table} .*\[{ROWS} rows published"
        return re.search(line, self.console) is not None

    def cancels(self, table: str) -> bool:
        """True if the console says that the model was cancelled."""
        return f"CANCEL query model.tested.{table}" in self.console

    def _versions(self) -> dict[str, str]:
        """Those of run_results.json."""
        responses = self._of_each("adapter_response")
        return {table: one["version"] for table, one in responses.items() if "version" in one}

    def _of_each(self, key: str) -> dict[str, Any]:
        """What run_results.json has of each table."""
        if not self.results.exists():
            return {}
        results = json.loads(self.results.read_text())["results"]
        return {result["unique_id"].split(".")[2]: result[key] for result in results}
