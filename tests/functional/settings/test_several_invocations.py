"""Invocations in one process have one Spark, and nothing else of each other."""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from faults.other_process import started
from functional import invocations
from functional.dbt_project import NAME, Project
from readers.session import SMALL

AT = """
{{ config(materialized='table') }}
select cast(timestamp'2026-01-01 00:00:00Z' as string) as at, '${own.one}' as own
"""
SET = "{% if target.name == 'dev' %} set own.one = 1 {% else %} select 1 {% endif %}"
USE = "use {{ target.schema }}"
SHOW = "show", "--inline", "select at, own from {{ ref('model') }}", "--output=json"
ZONE = "spark.sql.session.timeZone"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """One model in an embedded metastore; the target dev has settings that prod has not."""
    made = Project(tmp_path / "project", "shop", SMALL)
    settings = {"name": NAME, "profile": NAME, "on-run-start": [SET, USE]}
    made.write({"dbt_project.yml": json.dumps(settings), "models/model.sql": AT})
    profile = json.loads((made.directory / "profiles.yml").read_text())
    outputs = profile[NAME]["outputs"]
    outputs["prod"] = outputs.pop("test")
    outputs["prod"]["server_side_parameters"][ZONE] = "UTC"
    dev = {**outputs["prod"], "server_side_parameters": {**SMALL, ZONE: "Asia/Tokyo"}}
    del outputs["prod"]["server_side_parameters"][ZONE]
    outputs["dev"] = dev
    profile[NAME]["target"] = "prod"
    (made.directory / "profiles.yml").write_text(json.dumps(profile))
    return made


def told(project: Project, directory: Path, what: Sequence[str | Sequence[str]]) -> str:
    """What they say, from a process in that directory."""
    arguments = [
        one if isinstance(one, str) else json.dumps(project.command(*one, "--no-partial-parse"))
        for one in what
    ]
    with started(directory, [sys.executable, invocations.__file__, *arguments]) as run:
        assert run.ended() == 0, run.log.read_text()
        return run.log.read_text()


def test_a_later_one_has_nothing_of_an_earlier_ones_session(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither the profile's settings nor what its hooks have set."""
    monkeypatch.setenv("TZ", "UTC")
    dev, prod = ("run", "--target=dev"), ("run", "--target=prod")
    log = told(project, project.directory, [dev, SHOW, prod, SHOW])
    assert log.count('"at": "2026-01-01 09:00:00"') == 1
    assert log.count('"own": "1"') == 1
    assert log.count('"at": "2026-01-01 00:00:00"') == 1
    assert log.count('"own": ""') == 1


def test_one_after_spark_was_stopped_finds_its_tables(project: Project, tmp_path: Path) -> None:
    """In the metastore of the project, wherever the process was started."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    log = told(project, elsewhere, [("run",), invocations.STOP, SHOW])
    assert "Spark was stopped, and starts again" in log
    assert log.count('"own": ""') == 1
    assert not (elsewhere / "metastore_db").exists()


def test_a_session_of_the_programs_own_gets_back_what_it_had_set(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The profile's settings, the adapter's and those of hooks end with the invocation.

    The thread's later jobs are in the program's own group.
    """
    monkeypatch.setenv("TZ", "UTC")
    settings = invocations.SETTINGS
    dev = ("run", "--target=dev")
    log = told(project, project.directory, [invocations.SESSION, settings, dev, settings])
    assert "Using the Spark session that was there before dbt" in log
    said = [line for line in log.splitlines() if line.startswith("settings:")]
    assert said == ["settings: None None None default own"] * 2
