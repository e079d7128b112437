"""What a model asks of a metastore with a server, next to what dbt-spark asks."""

from pathlib import Path

import pytest

from functional.dbt_project import Project
from servers.proxy import Proxy

PLAIN = "{{ config(materialized='table') }} select {{ var('n', 1) }} as id"
BUILT, REBUILT = {"n": 1}, {"n": 2}


@pytest.mark.long
def test_a_table_takes_no_more_calls_than_with_dbt_spark(
    tmp_path: Path, conf: dict[str, str], proxy: Proxy
) -> None:
    """When it is built, and when it is built again."""
    project = Project(tmp_path / "project", "beside_stock", conf)
    counted = {}
    for adapter in ("spark", "ctas_spark"):
        models = [f"by_{adapter}_{number}" for number in range(7)]
        project.write({f"models/{one}.sql": PLAIN for one in models})
        project.write_profile(adapter, threads=1)
        counted[adapter] = [of_a_model(project, proxy, models, **n) for n in (BUILT, REBUILT)]
    assert all(
        ours <= theirs for ours, theirs in zip(counted["ctas_spark"], counted["spark"], strict=True)
    ), counted


def of_a_model(project: Project, proxy: Proxy, models: list[str], **variables: int) -> float:
    """What five more tables add to a run of one."""
    with proxy.counting() as of_one:
        assert project.dbt("run", "--select", models[0], **variables).success
    with proxy.counting() as of_six:
        assert project.dbt("run", "--select", *models[1:], **variables).success
    return (of_six.total() - of_one.total()) / (len(models) - 2)
