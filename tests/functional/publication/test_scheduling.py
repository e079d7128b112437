"""Models that run at the same time: how they share the cores."""

import json
from pathlib import Path

import pytest

from functional.dbt_project import Project
from functional.terminal import shown
from readers.session import SMALL

TABLE = "{{ config(materialized='table') }} "
SLOW = f"{TABLE} select id, java_method('java.lang.Thread', 'sleep', 200L) as slept from range"
"""A fifth of a second for each row."""


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
