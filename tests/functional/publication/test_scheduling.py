"""Models that run at the same time: how they share the cores, and how far a long one is."""

import json
import re
from pathlib import Path

import pytest

from dbt.adapters.ctas_spark import progress
from functional.dbt_project import Project
from functional.terminal import shown
from readers.session import SMALL

TABLE = "{{ config(materialized='table') }} "
SLOW = f"{TABLE} select id, java_method('java.lang.Thread', 'sleep', 200L) as slept from range"
"""A fifth of a second for each row."""
LINE = re.compile(r"model\.tested\.slow: after \d+ s stage \d+: \d+ of 20 tasks")


@pytest.mark.long
def test_a_small_model_does_not_wait_for_the_tasks_of_a_long_one(tmp_path: Path) -> None:
    """Two of them, one after the other, begin after it and end before it."""
    cores = {"spark.master": "local[2]"}  # on one core there is nothing to share
    project = Project(tmp_path, "shop", {**SMALL, **cores})
    project.write(
        {
            "models/slow.sql": f"{SLOW}(0, 200, 1, 200)",
            "models/first.sql": f"{TABLE} select 1 as n",
            "models/second.sql": f"{TABLE} select * from {{{{ ref('first') }}}}",
        }
    )
    shown(project, "run", succeeds=True)
    ended = json.loads((tmp_path / "target" / "run_results.json").read_text())["results"]
    names = [one["unique_id"].rpartition(".")[2] for one in ended]
    assert names == ["first", "second", "slow"]


def test_a_long_model_says_how_far_it_is(
    project: Project, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line of JSON names its node; a quick one says nothing."""
    project.write(
        {"models/slow.sql": f"{SLOW}(0, 20, 1, 20)", "models/quick.sql": f"{TABLE} select 1 as n"}
    )
    assert not LINE.search(project.build().log)
    monkeypatch.setattr(progress, "FIRST_SECONDS", 0.5)
    capsys.readouterr()
    assert project.dbt("--log-format=json", "run").success
    events = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    told = [event for event in events if LINE.search(event["info"]["msg"])]
    assert len(told) > 1
    assert {event["data"]["node_info"]["node_name"] for event in told} == {"slow"}
