"""A dbt project of a test, and what its runs said."""

import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from dbt.cli.main import dbtRunner
from pyspark.sql import Row, SparkSession

from dbt import deprecations
from functional.quick_dbt import quicken_dbt
from readers.session import SMALL
from servers.metastore import Metastore

NAME = "tested"
SECRET = "hush-hush-1"  # noqa: S105 (what must not be printed)
_numbers = itertools.count(1)
quicken_dbt()


@dataclass(frozen=True, slots=True)
class Run:
    """One invocation: whether it succeeded, each node's result, every line it logged."""

    success: bool
    results: Mapping[str, Mapping[str, Any]]
    log: str
    exception: BaseException | None

    def response(self, model: str) -> Mapping[str, Any]:
        """The model's adapter_response in run_results.json."""
        found: Mapping[str, Any] = self.results[model]["adapter_response"]
        return found

    def message(self, model: str) -> str:
        """The model's message in run_results.json."""
        return str(self.results[model]["message"])


@dataclass(frozen=True, slots=True)
class Project:
    """A project on disk with a schema of its own; runs happen in this process's session."""

    directory: Path
    schema: str
    conf: Mapping[str, str]
    output: Mapping[str, object] = field(default_factory=dict)

    def write(self, files: Mapping[str, str]) -> None:
        """Write files of the project, models and all, by their relative paths."""
        project = {"name": NAME, "version": "1.0.0", "profile": NAME}
        for path, text in {"dbt_project.yml": json.dumps(project), **files}.items():
            (self.directory / path).parent.mkdir(parents=True, exist_ok=True)
            (self.directory / path).write_text(text)
        self.write_profile()

    def write_profile(self, adapter: str = "ctas_spark", **fields: object) -> None:
        """Write the profile, for this adapter or for the stock one."""
        stock = {"method": "session", "host": "NA"} if adapter == "spark" else {}
        output = {
            "type": adapter,
            "schema": self.schema,
            "threads": 2,
            "server_side_parameters": dict(self.conf),
            **stock,
            **fields,
        }
        profile = {NAME: {"target": "test", "outputs": {"test": output}}}
        (self.directory / "profiles.yml").write_text(json.dumps(profile))

    def dbt(self, *arguments: str, **variables: object) -> Run:
        """Run dbt in this process, which remembers nothing of earlier runs."""
        deprecations.active_deprecations.clear()
        lines: list[str] = []
        runner = dbtRunner(callbacks=[lambda event: lines.append(str(event.info.msg))])  # type: ignore[attr-defined]  # protobuf
        outcome = runner.invoke(self.command(*arguments, **variables))
        return Run(outcome.success, self._results(), "\n".join(lines), outcome.exception)

    def command(self, *arguments: str, **variables: object) -> list[str]:
        """The arguments of an invocation, for this process or another."""
        quiet = ["--no-send-anonymous-usage-stats", "--no-version-check", "--no-use-colors"]
        where = [f"--project-dir={self.directory}", f"--profiles-dir={self.directory}"]
        values = [f"--vars={json.dumps(variables)}"] if variables else []
        log = [f"--log-path={self.directory / 'logs'}"]
        return [*quiet, *log, *arguments, *where, *values]

    def build(self, **variables: object) -> Run:
        """``dbt run``, which has to succeed."""
        run = self.dbt("run", **variables)
        assert run.success, run.log
        return run

    def rows(self, query: str) -> list[Row]:
        """What a new session reads; ``{schema}`` stands for the project's schema."""
        session = SparkSession.active().newSession()
        return session.sql(query.format(schema=self.schema)).collect()

    def _results(self) -> dict[str, Mapping[str, Any]]:
        path = self.directory / "target" / "run_results.json"
        if not path.exists():
            return {}
        results = json.loads(path.read_text())["results"]
        return {result["unique_id"].split(".")[2]: result for result in results}


def new_project(directory: Path, metastore: Metastore) -> Project:
    """An empty project with a schema that no other test has."""
    conf = {**SMALL, **metastore.spark_conf(), "spark.hadoop.some.password": SECRET}
    return Project(directory, f"schema_{next(_numbers)}", conf)
