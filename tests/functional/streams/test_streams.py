"""Models whose source is a stream: each run publishes what is new, with its checkpoint."""

import json
import re
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from ctas_spark.steps import Step
from faults.moments import before
from faults.other_process import other_run
from functional.dbt_project import Project, Run
from functional.outside import Outside
from functional.rival_stream import commit_a_rival

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "streams.md").read_text()
BLOCKS = dict(re.findall(r"^```(sql)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
EXAMPLE = BLOCKS["sql"]
INCREMENTAL = "materialized='incremental'"
ISOLATED = f"{INCREMENTAL}, atomicity='isolated'"
ALL = "select id, text from stream {{ source('raw', 'events') }}"
VACUUM = ("run-operation", "ctas_vacuum", "--args={older_than: 0, fence: true}")


@dataclass
class Arrivals:
    """A project with a source: a directory of JSON files that grows."""

    project: Project
    files: Path
    models: dict[str, str] = field(default_factory=dict)

    def arrive(self, *ids: int) -> None:
        """One more file."""
        name = f"{len(list(self.files.iterdir()))}.json"
        rows = [json.dumps({"id": one, "text": f"row {one}"}) for one in ids]
        (self.files / name).write_text("\n".join(rows))

    def write(self, name: str, config: str, query: str) -> None:
        """A model in SQL; the source's table is made by each run that does not find it."""
        self.write_file(f"{name}.sql", f"{{{{ config({config}) }}}} {query}")

    def write_file(self, name: str, text: str) -> None:
        """A model as it is in its file."""
        self.models[f"models/{name}"] = text
        source = {"name": "raw", "schema": self.project.schema, "tables": [{"name": "events"}]}
        table = "{{ target.schema }}.events (id int, text string) using json"
        create = [
            "create schema if not exists {{ target.schema }}",
            f"create table if not exists {table} location '{self.files}'",
        ]
        project = {"name": "tested", "version": "1.0.0", "profile": "tested"}
        self.project.write(
            {
                "dbt_project.yml": json.dumps({**project, "on-run-start": create}),
                "models/sources.yml": json.dumps({"sources": [source]}),
                **self.models,
            }
        )

    def built(self, *arguments: str) -> Run:
        """``dbt run``, which has to succeed."""
        run = self.project.dbt("run", *arguments)
        assert run.success, run.log
        return run

    def ids(self, table: str = "taken") -> list[int]:
        """What the model's table holds."""
        rows = self.project.rows(f"select id from {{schema}}.{table} order by id")
        return [row.id for row in rows]


@pytest.fixture
def arrivals(project: Project, tmp_path: Path) -> Arrivals:
    """Two rows have arrived."""
    files = tmp_path / "landing"
    files.mkdir()
    found = Arrivals(project, files)
    found.arrive(1, 2)
    return found


def test_each_run_takes_what_is_new(arrivals: Arrivals, outside: Outside) -> None:
    """Exactly once, as the page says; a rollback goes back in the source, too."""
    project = arrivals.project
    arrivals.write_file("taken.sql", EXAMPLE)
    first = arrivals.built()
    assert (arrivals.ids(), first.response("taken")["rows_affected"]) == ([1, 2], 2)
    arrivals.arrive(3)
    assert arrivals.built().response("taken")["commit_strategy"] == "swap"
    assert arrivals.ids() == [1, 2, 3]

    kept = arrivals.built()
    assert kept.response("taken")["outcome"] == "kept"
    assert "its stream has nothing new" in kept.log
    back = project.dbt("run-operation", "ctas_rollback", "--args", "{model: taken}")
    assert back.success, back.log
    assert arrivals.ids() == [1, 2]
    shown = project.dbt("build", ctas_preview=True)
    assert shown.success, shown.log
    assert "takes no rows of its stream" in shown.log

    arrivals.write("taken", f"{ISOLATED}, versions_to_keep=0, grace_period=0", ALL)
    arrivals.built()
    assert arrivals.ids() == [1, 2, 3]
    live = outside.directory("taken")
    assert outside.versions() == [live.name]
    assert list(live.parent.rglob("_checkpoint")) == [live / "_checkpoint"]
    arrivals.arrive(4)
    arrivals.built("--full-refresh")
    assert arrivals.ids() == [1, 2, 3, 4]
    assert outside.versions() == [outside.directory("taken").name]


@pytest.mark.looks_at_every_table
def test_what_a_failed_or_killed_run_took_comes_again(arrivals: Arrivals, outside: Outside) -> None:
    """Once; what a killed one left goes with a vacuum."""
    arrivals.write("taken", ISOLATED, ALL)
    arrivals.built()
    known = outside.versions()
    arrivals.arrive(3)
    arrivals.write("taken", ISOLATED, f"{ALL} where if(id = 3, raise_error('no'), true)")
    failed = arrivals.project.dbt("run")
    assert "[STREAM_FAILED]" in failed.message("taken")
    assert "was discarded" in failed.message("taken")
    assert "Logical Plan" not in failed.message("taken")
    assert (arrivals.ids(), outside.versions()) == ([1, 2], known)

    arrivals.write("taken", ISOLATED, ALL)
    with other_run(arrivals.project, "--step", "commit", "--side", "entered") as run:
        run.wait_until_stopped()
        run.kill()
    assert arrivals.ids() == [1, 2]
    arrivals.built()
    assert arrivals.ids() == [1, 2, 3]
    assert len(outside.versions()) > 2
    freed = arrivals.project.dbt(*VACUUM)
    assert freed.success, freed.log
    assert set(outside.versions()) == {*known, outside.directory("taken").name}


def test_of_two_runs_from_one_version_one_commits(arrivals: Arrivals, outside: Outside) -> None:
    """Rows and offsets; nothing of the other stays, and the next run goes on."""
    arrivals.write("taken", ISOLATED, ALL)
    arrivals.built()
    arrivals.arrive(3)
    with before(Step.COMMIT, lambda: commit_a_rival(arrivals.project, "taken")):
        lost = arrivals.project.dbt("run")
    assert "[CONCURRENT_WRITE]" in lost.message("taken")
    assert arrivals.ids() == [1, 2, 3]
    assert len(outside.versions()) == 2
    arrivals.arrive(4)
    arrivals.built()
    assert arrivals.ids() == [1, 2, 3, 4]


def test_what_a_query_remembers_follows_the_table(arrivals: Arrivals) -> None:
    """Its state is in the checkpoint; and new rows may replace those of the table."""
    remembers = (
        "def model(dbt, session):\n"
        "    dbt.config(materialized='incremental', atomicity='isolated', partition_by='text')\n"
        f"    events = session.readStream.table('{arrivals.project.schema}.events')\n"
        "    return events.dropDuplicates(['id'])\n"
    )
    arrivals.write_file("seen.py", remembers)
    arrivals.write("merged", f"{INCREMENTAL}, incremental_strategy='merge', unique_key='id'", ALL)
    arrivals.built()
    arrivals.arrive(2, 3)
    arrivals.built()
    assert arrivals.ids("seen") == arrivals.ids("merged") == [1, 2, 3]


def test_what_would_lose_or_repeat_rows_is_refused(arrivals: Arrivals) -> None:
    """Before anything is read; each error says what to do instead."""
    arrivals.write("made", ISOLATED, "select 1 as id, 'batch' as text")
    arrivals.built()
    by_part = f"{INCREMENTAL}, incremental_strategy='insert_overwrite', atomicity='atomic'"
    of_version = f"select * from stream {arrivals.project.schema}.made"
    models = {
        "whole": ("materialized='table'", ALL, "materialized: the query is a stream"),
        "in_place": (INCREMENTAL, ALL, "ask for isolated or atomic"),
        "direct": (f"{INCREMENTAL}, atomicity='none'", ALL, "ask for isolated or atomic"),
        "by_part": (by_part, ALL, "use one of append, merge, delete+insert"),
        "made": (ISOLATED, ALL, "[NO_CHECKPOINT]"),
        "of_version": (ISOLATED, of_version, "which is one version of a table"),
        "cleans": (ISOLATED, f"{ALL} with (cleanSource = 'delete')", "the option cleanSource"),
    }
    for name, (config, query, _) in models.items():
        arrivals.write(name, config, query)
    refused = arrivals.project.dbt("run")
    for name, (*_, said) in models.items():
        assert said in refused.message(name)
    assert arrivals.project.rows("select text from {schema}.made")[0].text == "batch"
