"""One dbt project of two models on a server: one of Iceberg, one of Delta."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from ctas_spark.statement.by_copy import STAGED_FOR
from dbt.adapters.ctas_spark.credentials import CONNECT, THRIFT
from functional.dbt_project import Project, Run
from long import long
from servers.remote import HOST, ICEBERG, RemoteServer

QUERY = """
select id, cast('{{ var("name", "old") }}' as string) as name, 'x' as day
{% if var("ms", 0) %}
  , java_method('java.io.File', 'createTempFile', '{{ this.schema }}', '{{ this.name }}') as began
  , java_method('java.lang.Thread', 'sleep', {{ var("ms") }}L) as slept
{% endif %}
from range(0, 3, 1, 1)
{% if var("fails", false) %} where cast(raise_error('no ' || id) as boolean) {% endif %}
"""
DOCS = "persist_docs={'relation': true, 'columns': true}"
ICE = f"{{{{ config(materialized='table', partition_by=['bucket(2, id)'], {DOCS}) }}}}{QUERY}"
DLT = (
    "{{ config(materialized='atomic_table', database='spark_catalog', file_format='delta', "
    f"partition_by='day', tblproperties={{'mine': 'yes'}}, {DOCS}) }}}}{QUERY}"
)
SCHEMA = """
models:
  - {name: ice, columns: &columns [{name: id, description: its number}]}
  - {name: dlt, columns: *columns}
"""
MODELS = ("ice", "dlt")
METHODS = (CONNECT, THRIFT)
ONLY_CONNECT = pytest.mark.parametrize("place", [CONNECT], indirect=True)
"""For what was tried both ways, and is the same SQL in both."""
MOSTLY_CONNECT = pytest.mark.parametrize("place", [CONNECT, long(THRIFT)], indirect=True)
"""For what is nearly the same."""
PROJECT = {"models/ice.sql": ICE, "models/dlt.sql": DLT, "models/schema.yml": SCHEMA}


@dataclass(frozen=True, slots=True)
class Place:
    """A project with a schema of its own in both catalogs, and what others see there."""

    server: RemoteServer
    project: Project
    method: str

    @classmethod
    def new(cls, server: RemoteServer, directory: Path, schema: str, method: str) -> "Place":
        """A project whose profile leads to the server."""
        place = cls(server, Project(directory, schema, {}), method)
        place.write(PROJECT)
        return place

    def write(self, files: Mapping[str, str]) -> None:
        """Write files of the project, and its profile."""
        self.project.write(files)
        self.write_profile()

    def write_profile(self, **fields: object) -> None:
        """The profile, with other values for some fields."""
        port = {CONNECT: self.server.port, THRIFT: self.server.thrift_port}[self.method]
        own = {"method": self.method, "host": HOST, "port": port, "database": ICEBERG}
        self.project.write_profile("ctas_spark", **{**own, **fields})

    def in_the_server(self, *arguments: str, **variables: object) -> Run:
        """The same project with ``method: session``, in the server's own process."""
        conf = {"spark.app.name": self.server.app_name}
        profile = self.project.directory / "session"
        profile.mkdir(exist_ok=True)
        beside = Project(profile, self.project.schema, conf)
        beside.write_profile(database=ICEBERG)
        command = [
            one.replace(f"--profiles-dir={self.project.directory}", f"--profiles-dir={profile}")
            for one in self.project.command(*arguments, **variables)
        ]
        success, log = self.server.dbt(command)
        return Run(success, self._results(), log, None)

    def table(self, model: str) -> str:
        """A model's table, as a statement names it."""
        return f"{ICEBERG if model == 'ice' else 'spark_catalog'}.{self.project.schema}.{model}"

    def rows(self, query: str) -> list[tuple[object, ...]]:
        """What a new session of somebody else's reads."""
        session = self.server.new_session()
        try:
            return [tuple(row) for row in session.sql(query).collect()]
        finally:
            session.stop()

    def names(self) -> list[tuple[object, ...]]:
        """The names in both models' tables: each has one, in every row."""
        both = " union all ".join(
            f"select {number} as n, name, count(*) as c from {self.table(model)} group by name"
            for number, model in enumerate(MODELS)
        )
        return self.rows(f"select name, c from ({both}) order by n")

    def staged(self) -> list[str]:
        """What runs without a JVM have staged: in the staging schemas, and in branches."""
        found = []
        for catalog in (ICEBERG, "spark_catalog"):
            schema = f"{catalog}.{self.project.schema}__ctas_spark"
            names = [str(row[1]) for row in self.rows(f"show tables in {schema}")]
            found += [name for name in names if self._is_a_copy(f"{schema}.{name}")]
        return sorted([*found, *self._branches()])

    def _branches(self) -> list[str]:
        """Those of the Iceberg model's table that a version is staged in."""
        tables = self.rows(f"show tables in {ICEBERG}.{self.project.schema}")
        if "ice" not in [row[1] for row in tables]:
            return []
        refs = self.rows(f"select name from {self.table('ice')}.refs where name like 'ctas%'")
        return [str(name) for (name,) in refs]

    def _is_a_copy(self, table: str) -> bool:
        """True if a statement has staged it; sessions stage next to that."""
        return any(row[0] == STAGED_FOR for row in self.rows(f"show tblproperties {table}"))

    def runs(self, model: str) -> bool:
        """True once a task of the model's query, with ``ms``, has begun."""
        return any(self.server.temporary.glob(f"{self.project.schema}*{model}"))

    def _results(self) -> dict[str, Mapping[str, object]]:
        path = self.project.directory / "target" / "run_results.json"
        results = json.loads(path.read_text())["results"]
        return {result["unique_id"].split(".")[2]: result for result in results}
