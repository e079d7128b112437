"""A schema's directory, or the warehouse above it, that is renamed while nobody builds."""

import json

import pytest

from real_places.hdfs import Hdfs

MODEL = """
{{ config(materialized='table', partition_by='day', versions_to_keep=1, grace_period=0) }}
select {{ var('n', 1) }} as id, 'x' as day
"""
NOW = json.dumps({"older_than": 0, "fence": True})


@pytest.mark.long
def test_builds_go_on_where_the_directory_is_now(place: Hdfs) -> None:
    """Table and versions have moved with it: the one before is found, and goes in its turn."""
    place.project.write({"models/m.sql": MODEL})
    for number in (1, 2):
        place.project.build(n=number)
    moved = f"/warehouse/moved_{place.project.schema}.db"
    place.rename(moved)
    assert place.rows("m") == [(2, "x")]
    assert place.project.dbt("run-operation", "ctas_rollback", "--args={model: m}").success
    assert place.rows("m") == [(1, "x")]
    for number in (3, 4):
        run = place.project.build(n=number)
        assert "belongs to the metastore" not in run.log
    assert place.rows("m") == [(4, "x")]
    vacuum = place.project.dbt("run-operation", "ctas_vacuum", f"--args={NOW}")
    assert vacuum.success, vacuum.log
    assert "belongs to a metastore" not in vacuum.log
    found = place.system.listFiles(place.path(moved), True)
    files: list[str] = []
    while found.hasNext():
        files.append(str(found.next().getPath()))
    assert len([one for one in files if one.endswith(".parquet")]) == 2, files
    assert not place.system.exists(place.path(place.directory))
