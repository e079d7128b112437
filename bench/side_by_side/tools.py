"""How each tool is given a project, told to build it, and asked how long that took."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any, Protocol

from side_by_side import environments
from side_by_side.cases import SQLMESH, THREADS, Build, Case, Times

QUERIES = Path(__file__).parents[1] / "tpch"
SCHEMA = "bench"
IN_SPARK = "parquet.`{}`"
TENTHS = 10


class Tool(Protocol):
    """What builds a project."""

    def write(self, case: Case, directory: Path) -> None:
        """Write the project."""

    def add_tests(self, case: Case, directory: Path) -> None:
        """Give each model the tests that its id is unique and not null."""

    def command(self, build: Build) -> Sequence[str]:
        """The command of a build, run in the project's directory."""

    def times(self, directory: Path, began: float, seconds: float) -> Times:
        """What the build reported, which began at that time (in seconds since 1970)."""


@dataclass(frozen=True, slots=True)
class Dbt:
    """dbt, with an output of its profile, in an environment; ``reads`` is how SQL names a file."""

    output: Mapping[str, Any]
    environment: str | None = None
    reads: str = IN_SPARK

    def write(self, case: Case, directory: Path) -> None:
        """Models, a project, a profile."""
        output = {"schema": SCHEMA, **self.output, "threads": THREADS}
        models = {SCHEMA: {"+materialized": "table"}}
        project = {"name": SCHEMA, "profile": SCHEMA, "models": models}
        _write_json(directory / "dbt_project.yml", project)
        profile = {"target": "bench", "outputs": {"bench": output}}
        _write_json(directory / "profiles.yml", {SCHEMA: profile})
        _write_models(directory, queries(case, self.reads))

    def add_tests(self, case: Case, directory: Path) -> None:
        """A file of properties."""
        column = {"name": "id", "data_tests": ["unique", "not_null"]}
        models = [{"name": name, "columns": [column]} for name in queries(case, self.reads)]
        _write_json(directory / "models" / "tests.yml", {"models": models})

    def command(self, build: Build) -> Sequence[str]:
        """`dbt run`, or `dbt build` with tests."""
        dbt = str(environments.programs(self.environment) / "dbt")
        return (dbt, "--quiet", "build" if build is Build.TESTS else "run")

    def times(self, directory: Path, began: float, seconds: float) -> Times:
        """From run_results.json."""
        results = json.loads((directory / "target" / "run_results.json").read_text())["results"]
        spans = sorted(_spans(results), key=lambda span: span[1])
        first, last = min(start for start, _ in spans), spans[-1][1]
        ends = [first, *(end for _, end in spans)]
        each = tuple(_tenths(ends)) if len(spans) >= TENTHS else None
        return Times(seconds, round(first - began, 2), round(last - first, 2), each)


class Pyspark:
    """PySpark alone, as the floor."""

    def write(self, case: Case, directory: Path) -> None:
        """Models alone."""
        _write_models(directory, queries(case, IN_SPARK))

    def add_tests(self, case: Case, directory: Path) -> None:
        """The command asks for them."""

    def command(self, build: Build) -> Sequence[str]:
        """The program of the floor."""
        tests = ("--tests",) if build is Build.TESTS else ()
        program = str(Path(__file__).with_name("floor.py"))
        return (sys.executable, program, "--threads", str(THREADS), *tests)

    def times(self, directory: Path, began: float, seconds: float) -> Times:
        """From the moments that it wrote down."""
        moments = json.loads((directory / "target" / "floor.json").read_text())
        ready, done = moments["ready"], moments["done"]
        return Times(seconds, round(ready - began, 2), round(done - ready, 2))


class Sqlmesh:
    """SQLMesh on a Spark session, with its state in a file of DuckDB."""

    def write(self, case: Case, directory: Path) -> None:
        """Models, and a configuration."""
        spark = {"type": "spark", "concurrent_tasks": THREADS, "catalog": "spark_catalog"}
        gateway = {
            "connection": spark,
            "state_connection": {"type": "duckdb", "database": "state.db"},
        }
        config = {
            "gateways": {"spark": gateway},
            "default_gateway": "spark",
            "model_defaults": {"dialect": "spark", "start": "2026-01-01"},
            "disable_anonymized_analytics": True,
        }
        _write_json(directory / "config.yaml", config)
        self._write_models(case, directory, "")

    def add_tests(self, case: Case, directory: Path) -> None:
        """Audits, and another query: a model whose query is the same is not built again."""
        audits = ", audits (unique_values(columns := (id)), not_null(columns := (id)))"
        self._write_models(case, directory, audits, "limit 1\n")

    def command(self, build: Build) -> Sequence[str]:
        """A plan; of what is there already, one that restates all models."""
        sqlmesh = str(environments.programs(SQLMESH) / "sqlmesh")
        again = ("--restate-model", f"{SCHEMA}.*") if build is Build.REBUILD else ()
        return (sqlmesh, "plan", "--auto-apply", "--no-prompts", *again)

    def times(self, directory: Path, began: float, seconds: float) -> Times:  # noqa: ARG002
        """It reports no moments."""
        return Times(seconds)

    def _write_models(self, case: Case, directory: Path, audits: str, end: str = "") -> None:
        models = {
            name: f"MODEL (name {SCHEMA}.{name}, kind FULL{audits});\n{query}{end}"
            for name, query in queries(case, IN_SPARK).items()
        }
        _write_models(directory, models)


def queries(case: Case, reads: str) -> dict[str, str]:
    """A model's query by its name: one row each, or TPC-H's over its files."""
    if not case.scale:
        return {f"m{number}": f"select {number} as id\n" for number in range(case.models)}
    files = environments.tpch_tables(case.scale).glob("*.parquet")
    names = {file.stem: reads.format(file) for file in files}
    return {file.stem: file.read_text().format_map(names) for file in sorted(QUERIES.glob("q*"))}


def _write_models(directory: Path, models: Mapping[str, str]) -> None:
    (directory / "models").mkdir(exist_ok=True)
    for name, text in models.items():
        (directory / "models" / f"{name}.sql").write_text(text)


def _write_json(path: Path, content: Mapping[str, Any]) -> None:
    path.write_text(json.dumps(content))  # JSON is YAML


def _spans(results: Sequence[Mapping[str, Any]]) -> Iterator[tuple[float, float]]:
    """Start and end of each node."""
    for timing in (result["timing"] for result in results if result["timing"]):
        moments = [_moment(one[key]) for one in timing for key in ("started_at", "completed_at")]
        yield min(moments), max(moments)


def _moment(text: str) -> float:
    moment = datetime.fromisoformat(text.removesuffix("Z"))
    return moment.replace(tzinfo=timezone.utc).timestamp()


def _tenths(ends: Sequence[float]) -> Iterator[float]:
    """Seconds for each node, in each tenth of the nodes."""
    count = len(ends) - 1
    for tenth in range(TENTHS):
        first, last = count * tenth // TENTHS, count * (tenth + 1) // TENTHS
        yield round((ends[last] - ends[first]) / (last - first), 4)
