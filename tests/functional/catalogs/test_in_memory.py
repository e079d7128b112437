"""Spark's in-memory catalog, by dbt in processes of its own: a session has one catalog for good."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from functional.dbt_project import Project
from readers.child import Child, running_child
from readers.session import SMALL

BUILDS = str(Path(__file__).with_name("builds.py"))
ANSWERS_WITHIN_SECONDS = 300.0
CONFIG = "{{ config(materialized='table', versions_to_keep=0, grace_period=0) }}"
ORDERS = CONFIG + " select id, {{ var('column') }} from range({{ var('n') }})"
DAILY = (
    "{{ config(materialized='table', versions_to_keep=0, grace_period=0, partition_by='k') }} "
    "select o.*, concat('{{ var('n') }}/', o.id % 2) as k from {{ ref('orders') }} o"
)
FIRST: Mapping[str, object] = {"n": 4, "column": "'x' as a"}
SECOND: Mapping[str, object] = {"n": 3, "column": "id * 2 as b"}
ROWS_OF_FIRST = [{"id": i, "a": "x", "k": f"4/{i % 2}"} for i in range(4)]
ROWS_OF_SECOND = [{"id": i, "b": 2 * i, "k": f"3/{i % 2}"} for i in range(3)]


@dataclass(frozen=True, slots=True)
class Process:
    """A process with a catalog of its own."""

    child: Child

    def build(self, variables: Mapping[str, object]) -> dict[str, Any]:
        """``dbt run``: responses of models, rows of the partitioned one."""
        return self._ask(json.dumps(variables))

    def rows(self) -> object:
        """What it reads of the partitioned model now."""
        return self._ask("null")["rows"]

    def _ask(self, line: str) -> dict[str, Any]:
        answered = len(self.child.lines())
        self.child.tell(line)
        self.child.wait_for_lines(answered + 1, ANSWERS_WITHIN_SECONDS)
        return self.child.lines()[answered]


@pytest.fixture
def in_memory(tmp_path: Path) -> Project:
    """A table, and a partitioned one made of it."""
    conf = {
        **SMALL,
        "spark.sql.catalogImplementation": "in-memory",
        "spark.sql.warehouse.dir": str(tmp_path / "warehouse"),
    }
    project = Project(tmp_path / "project", "shop", conf)
    project.write({"models/orders.sql": ORDERS, "models/daily.sql": DAILY})
    return project


@contextmanager
def running(project: Project, name: str) -> Iterator[Process]:
    """A process of that name, which builds the project when it is told to."""
    asked = {
        "directory": str(project.directory),
        "schema": project.schema,
        "conf": project.conf,
        "query": "select * from {schema}.daily order by id",
    }
    arguments = ["--asked", json.dumps(asked)]
    with running_child(name, BUILDS, arguments, project.directory.parent) as child:
        yield Process(child)


def versions(project: Project, model: str) -> list[str]:
    """The version ids that have a directory in the warehouse."""
    root = project.directory.parent / "warehouse" / "shop.db" / "ctas-spark"
    return sorted(path.name for path in root.glob(f"*/shop.{model}/*"))


def test_a_project_is_built_and_rebuilt_with_another_schema(in_memory: Project) -> None:
    """Tables of the in-memory catalog are isolated by a lock, and their old versions are freed."""
    with running(in_memory, "dbt") as dbt:
        first, second = dbt.build(FIRST), dbt.build(SECOND)
    assert (first["rows"], second["rows"]) == (ROWS_OF_FIRST, ROWS_OF_SECOND)
    for model in ("orders", "daily"):
        before, after = first["responses"][model], second["responses"][model]
        assert (before["atomicity"], before["conflict_check"]) == ("isolated", "lock")
        assert (after["atomicity"], after["conflict_check"]) == ("isolated", "lock")
        assert (before["commit_strategy"], after["commit_strategy"]) == ("create", "swap")
        assert after["base_version"] == before["version"]
        assert versions(in_memory, model) == [after["version"]]


def test_another_process_leaves_the_tables_alone(in_memory: Project) -> None:
    """Of two catalogs with one warehouse, neither deletes what only the other one knows."""
    with running(in_memory, "first") as first, running(in_memory, "second") as second:
        first.build(FIRST)
        assert second.build(FIRST)["rows"] == ROWS_OF_FIRST
        assert second.build(SECOND)["rows"] == ROWS_OF_SECOND
        assert first.rows() == ROWS_OF_FIRST
