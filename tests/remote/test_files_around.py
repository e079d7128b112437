"""What a project has around its tables of files, over a server: hooks, tests, batches, clones."""

import json
from pathlib import Path

import pytest

from functional.dbt_project import NAME, Project
from long import long
from remote.files import profile_of, project_at, rows_in
from remote.place import METHODS
from servers.metastore import Metastore, running_metastore
from servers.remote import RemoteServer, spark_of_files

DBT_PROJECT = {
    "name": NAME,
    "version": "1.0.0",
    "profile": NAME,
    "on-run-start": [
        "create table if not exists {{ target.schema }}.seen (what string) using parquet",
        "set spark.sql.shuffle.partitions=3",
    ],
    "on-run-end": ["insert into {{ target.schema }}.seen values ('end')"],
    "data_tests": {"+store_failures": True, "+severity": "warn"},
}
HOOKED = """
{% set seen = 'insert into ' ~ target.schema ~ '.seen ' %}
{{ config(materialized='table', pre_hook=seen ~ "values ('before')",
          post_hook=seen ~ "select 'rows ' || count(*) from {{ this }}",
          sql_header="set spark.sql.session.timeZone=Asia/Tokyo; use " ~ target.schema) }}
select id, current_timezone() as zone, current_schema() as here,
       '${spark.sql.shuffle.partitions}' as partitions
from range(3)
"""
PLAIN = """
{{ config(materialized='table') }}
select id, name, current_timezone() as zone, current_schema() as here from {{ ref('given') }}
"""
BATCHED = """
{{ config(materialized='incremental', incremental_strategy='microbatch', event_time='at',
          batch_size='day', begin='2026-01-01', partition_by='day', atomicity='isolated') }}
select {{ var('n') }} as n, day, timestamp(day) as at
from values (date "{{ model.batch.event_time_start.strftime("%Y-%m-%d") }}") as t(day)
"""
TRACKED = """
{{ config(materialized='table', partition_by='day', partition_metadata='tracked') }}
select id, {{ var('n', 1) }} as n, id % 2 as day from range(4)
"""
ZONED = """
{{ config(materialized='table', sql_header="set spark.sql.session.timeZone=Asia/Tokyo") }}
select current_timezone() as zone, java_method('java.lang.Thread', 'sleep', 3000L) as slept
"""
MOVED = (
    "{{ config(materialized='table', file_format='parquet', partition_by='k') }} "
    "select {{ var('n') }} as n, {{ var('n') }} as k"
)
DAYS_TRACKED = {"models/days.sql": TRACKED}
GRANTED = "{{ config(materialized='table', grants={'select': ['a']}) }} select 1 as id"
SCHEMA = """
models:
  - name: plain
    columns: [{name: name, data_tests: [unique]}]
unit_tests:
  - name: names_are_kept
    model: plain
    given: [{input: ref('given'), rows: [{id: 1, name: b}]}]
    expect: {rows: [{id: 1, name: b}]}
"""
FILES = {
    "dbt_project.yml": json.dumps(DBT_PROJECT),
    "models/hooked.sql": HOOKED,
    "models/plain.sql": PLAIN,
    "models/batched.sql": BATCHED,
    "models/schema.yml": SCHEMA,
    "seeds/given.csv": "id,name\n1,a\n2,a\n",
}
DAYS = ("--event-time-start=2026-01-01", "--event-time-end=2026-01-03")


@pytest.mark.parametrize("method", [long("connect"), "thrift"])
def test_what_is_around_a_model_works(
    servers: tuple[RemoteServer, Metastore], tmp_path: Path, method: str
) -> None:
    """One build: hooks, a setting, a header, stored failures, a unit test, batches; then a clone.

    Grants and previews are refused by name.
    """
    server, schema = servers[0], f"around_{method}"
    profile = profile_of(*servers, method)
    project = project_at(tmp_path, FILES, profile, schema)

    built = project.dbt("build", *DAYS, n=1)
    assert built.success, built.log
    assert rows_in(server, f"select * from {schema}.seen") == [("before",), ("end",), ("rows 3",)]
    zones = rows_in(server, f"select distinct zone, partitions, here from {schema}.hooked")
    assert zones == [("Asia/Tokyo", "3", schema)]
    ((zone, here),) = rows_in(server, f"select distinct zone, here from {schema}.plain")
    assert zone != "Asia/Tokyo"
    assert here == "default"
    stored = rows_in(server, f"select * from {schema}_dbt_test__audit.unique_plain_name")
    assert stored == [("a", 2)]
    assert "PASS plain::names_are_kept" in built.log

    again = project.dbt("run", "--select", "batched", *DAYS, n=2)
    assert again.success, again.log
    assert rows_in(server, f"select n, count(*) from {schema}.batched group by n") == [(2, 2)]

    preview = project.dbt("run", "--select", "plain", n=1, ctas_preview=True)
    assert f"method: {method} has no previews" in f"{preview.log} {preview.exception}"
    granted = project_at(tmp_path / "granted", {"models/granted.sql": GRANTED}, profile, schema)
    assert "[NOT_SUPPORTED] grants are configured" in granted.dbt("run").message("granted")

    cloned = project_at(tmp_path / "cloned", FILES, profile, f"{schema}_clone")
    state = f"--state={project.directory / 'target'}"
    clone = cloned.dbt("clone", state, "--select", "plain", n=1)
    assert clone.success, clone.log
    assert rows_in(server, f"select id, name from {schema}_clone.plain") == [(1, "a"), (2, "a")]


@pytest.mark.long
@pytest.mark.parametrize("method", METHODS)
def test_partitions_are_tracked_over_a_server(tmp_path: Path, method: str) -> None:
    """Where its metastore has lock tables."""
    running = running_metastore(tmp_path / "metastore", tmp_path / "warehouse", lock_tables=True)
    with running as metastore, spark_of_files(tmp_path, metastore) as server:
        profile = profile_of(server, metastore, method)
        project = project_at(tmp_path / "project", DAYS_TRACKED, profile, "tracked")
        for n in (1, 2):
            built = project.dbt("run", n=n)
            assert built.success, built.log
            assert built.response("days")["partition_metadata"] == "tracked"
            assert rows_in(server, "show partitions tracked.days") == [("day=0",), ("day=1",)]
            assert rows_in(server, "select distinct n from tracked.days") == [(n,)]


def test_tracked_partitions_need_lock_tables(
    servers: tuple[RemoteServer, Metastore], tmp_path: Path
) -> None:
    """Without them they are refused by name, before any job."""
    project = project_at(tmp_path, DAYS_TRACKED, profile_of(*servers, "thrift"), "untracked")
    refused = project.dbt("run")
    assert "lock" in refused.message("days")


def test_a_project_of_dbt_spark_moves_by_its_type_and_the_metastore(
    servers: tuple[RemoteServer, Metastore], tmp_path: Path
) -> None:
    """With the same fields for the server, and the same models."""
    server, schema = servers[0], "moved"
    project = Project(tmp_path, schema, {})
    project.write({"models/orders.sql": MOVED})
    there = {**server.profile("thrift"), "server_side_parameters": {}}
    project.write_profile("spark", **there)
    stock = project.dbt("run", n=1)
    assert stock.success, stock.log
    assert rows_in(server, f"select n, k from {schema}.orders") == [(1, 1)]

    project.write_profile("ctas_spark", **there, metastore=servers[1].uri)
    for n in (2, 3):
        run = project.dbt("run", n=n)
        assert run.success, run.log
        assert run.response("orders")["atomicity"] == "isolated"
        assert rows_in(server, f"select n, k from {schema}.orders") == [(n, n)]


def test_a_seed_is_not_read_under_the_settings_of_a_model(
    servers: tuple[RemoteServer, Metastore], tmp_path: Path
) -> None:
    """It takes turns with what sets something in the session that they share."""
    server, schema = servers[0], "turns"
    files = {
        "models/zoned.sql": ZONED,
        "seeds/times.csv": "at\n2026-01-01 00:00:00\n",
        "seeds/schema.yml": "seeds: [{name: times, config: {column_types: {at: timestamp}}}]",
    }
    project = project_at(tmp_path, files, profile_of(*servers, "thrift"), schema)
    for _ in (1, 2):  # which of the two begins first is a matter of moments
        built = project.dbt("build", "--threads", "2")
        assert built.success, built.log
        assert rows_in(server, f"select zone from {schema}.zoned") == [("Asia/Tokyo",)]
        assert rows_in(server, f"select cast(at as string) from {schema}.times") == [
            ("2026-01-01 00:00:00",)
        ]
