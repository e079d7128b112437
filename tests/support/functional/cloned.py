"""dbt clone, and then dbt build in the clone, where each node has its table's place to itself."""

import shutil
from dataclasses import replace

from functional.dbt_project import Project

SEED = "seeds: {tested: {airports: {file_format: %s}}}"
MODEL = "{{ config(materialized='%s', file_format='%s') }} select 1 as id"
PROJECT = "name: tested\nprofile: tested\n"


def build_and_check(project: Project, file_format: str) -> None:
    """Its views make way for seeds, tables and incremental models, and the originals stay."""
    project.write(
        {
            "dbt_project.yml": PROJECT + SEED % file_format,
            "seeds/airports.csv": "code,seats\nORD,1\nJFK,\n",
            "models/whole.sql": MODEL % ("table", file_format),
            "models/grown.sql": MODEL % ("incremental", file_format),
        }
    )
    assert project.dbt("build").success
    state = shutil.copytree(project.directory / "target", project.directory / "state")
    cloned = replace(project, schema=f"{project.schema}_clone")
    cloned.write_profile()
    run = cloned.dbt("clone", "--state", str(state))
    assert run.success, run.log
    assert bool(cloned.rows("show views in {schema}")) is (file_format != "delta")
    run = cloned.dbt("build")
    assert run.success, run.log
    assert cloned.rows("show views in {schema}") == []
    for one in (project, cloned):
        assert one.rows("select count(*), sum(seats) from {schema}.airports") == [(2, 1)]
        assert one.rows("select id from {schema}.whole") == [(1,)]
    assert project.rows("select id from {schema}.grown") == [(1,)]
