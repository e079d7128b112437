"""A project whose one model holds the number it was built with, and what is there of it."""

import json
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from faults.surplus import UNFINISHED, Surplus, surplus, version_parent
from functional.dbt_project import Project, Run
from functional.outside import Outside

TABLE = "numbered"
ROWS = 3
SLEEPS = "java_method('java.lang.Thread', 'sleep', {{ var('ms') }}L) is not null"
MODEL = (
    "{{ config(materialized='atomic_table', **var('settings', {})) }} "
    f"select {{{{ var('v') }}}} as v from range({ROWS})"
    f"{{% if var('ms', 0) %}} where {SLEEPS}{{% endif %}}"
    "{% if var('where', '') %} where {{ var('where') }}{% endif %}"
)
NOTHING_KEPT: Mapping[str, int] = {"versions_to_keep": 0, "grace_period": 0}
SWEEP_ALL = {"older_than": 0, "fence": True}
"""What a user tells a vacuum who knows that nobody is at work: no orphan waits for its age."""
VACUUM = ("run-operation", "ctas_vacuum", f"--args={json.dumps({'model': TABLE, **SWEEP_ALL})}")
# For each row. All rows together take longer than a test does to cancel a job, and less than an
# abort waits: a task may heed a kill only when its batch is over.
A_WHILE_MS = 15_000


@dataclass(frozen=True, slots=True)
class Numbered:
    """The project, and the eyes of a client that is not ours."""

    project: Project
    outside: Outside

    @classmethod
    def written(cls, project: Project, outside: Outside, model: str = MODEL) -> "Numbered":
        """A project with the model in it."""
        project.write({f"models/{TABLE}.sql": model})
        return cls(project, outside)

    def run(self, number: int, **settings: Any) -> Run:
        """``dbt run`` of the model with a number and settings of the model."""
        return self.project.dbt("run", v=number, settings=settings)

    def publish(self, number: int, **settings: Any) -> str:
        """The same, which has to succeed; the version that it published."""
        run = self.run(number, **settings)
        assert run.success, run.log
        return str(run.response(TABLE)["version"])

    def number(self, table: str = TABLE) -> int:
        """What a table holds, read past Spark: every row, all of one version."""
        read = pq.read_table(self.outside.directory(table))["v"].to_pylist()
        assert len(read) == ROWS
        (number,) = set(read)
        return int(number)

    def version(self, table: str = TABLE) -> str:
        """The version that an entry names."""
        return self.outside.parameters(table)["ctas_spark_version"]

    def staged_beside(self, live: str | None) -> str:
        """The one other version whose files lie on storage."""
        (other,) = set(self.outside.versions()) - {live}
        return other

    def says_unknown(self, run: Run, version: str) -> None:
        """The model failed, names the version, and says that nothing was deleted."""
        assert not run.success
        message = run.message(TABLE)
        assert (
            "[COMMIT_STATE_UNKNOWN] the commit call failed, and the table does not show" in message
        )
        assert f"{version}; nothing was deleted" in message
        assert "outcome: it is not known" in message

    def is_writing(self) -> bool:
        """True while a job writes a version."""
        return any(self._root.rglob(UNFINISHED))

    def is_in_a_task(self) -> bool:
        """True once a task has opened its file."""
        return any(self._root.rglob("attempt_*/part-*"))

    def files(self) -> list[Path]:
        """Every file and directory that lies below the schema's versions."""
        return sorted(path for path in self._root.rglob("*"))

    def only_live_left(self) -> None:
        """Storage and metastore hold the live version and nothing else of any run."""
        assert self.surplus({self.version()}) == Surplus()

    def only_live_left_by_a_vacuum(self) -> None:
        """The same, once a vacuum was told that what dead runs left is old enough."""
        run = self.project.dbt(*VACUUM, settings=NOTHING_KEPT)
        assert run.success, run.log
        self.only_live_left()

    def surplus(self, versions: AbstractSet[str]) -> Surplus:
        """What storage and metastore hold besides the table in these versions."""
        return surplus(self.outside, {TABLE: versions})

    @property
    def _root(self) -> Path:
        return version_parent(self.outside)
