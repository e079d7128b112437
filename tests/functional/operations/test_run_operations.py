"""History, rollback, vacuum and recover, as a user runs them."""

import json
from typing import Any

import pytest

from functional.dbt_project import Project
from functional.outside import Outside

pytestmark = pytest.mark.looks_at_every_table

MODEL = (
    "{{ config(materialized='atomic_table', versions_to_keep=1, grace_period=0) }} "
    "select id, {{ var('column') }} from range({{ var('rows') }})"
)
MANY = 30_000


@pytest.fixture
def built(project: Project) -> Project:
    """A model with three publications, each of another schema, of which two versions are kept."""
    project.write({"models/orders.sql": MODEL})
    project.build(rows=1, column="1 as a")
    project.build(rows=2, column="'x' as a")
    project.build(rows=3, column="'x' as a, 2 as b")
    return project


def operation(project: Project, name: str, **arguments: object) -> list[dict[str, Any]]:
    """What the run-operation prints as JSON."""
    arguments = {**arguments, "json": True}
    done = project.dbt("run-operation", name, f"--args={json.dumps(arguments)}", column="1", rows=1)
    assert done.success, done.log
    printed = [line for line in done.log.splitlines() if line.startswith(("[{", "[]"))]
    rows: list[dict[str, Any]] = json.loads(printed[-1])
    return rows


def test_a_model_goes_back_to_the_version_before(built: Project, outside: Outside) -> None:
    """History, rollback and history again; rows and schema are the old version's."""
    before = operation(built, "ctas_history", model="orders")
    assert [row["kind"] for row in before] == ["build"] * 3
    assert [row["state"] for row in before] == ["live", "kept", "deleted"]
    assert [row["rows"] for row in before] == [3, 2, 1]
    assert before[0]["schema_change"] == "+ b int"
    (done,) = operation(built, "ctas_rollback", model="orders")
    assert (done["version"], done["replaced"]) == (before[1]["version"], before[0]["version"])
    assert built.rows("select * from {schema}.orders order by id") == [(0, "x"), (1, "x")]
    after = operation(built, "ctas_history", model="orders")
    assert [row["kind"] for row in after] == ["rollback", *["build"] * 3]
    assert set(outside.versions()) == {before[0]["version"], before[1]["version"]}
    table = built.dbt("run-operation", "ctas_history", "--args={model: orders}", column="1", rows=1)
    assert f"| {before[1]['version']} |" in table.log
    _is_vacuumed(built, outside)


def _is_vacuumed(built: Project, outside: Outside) -> None:
    """A dry run says what goes, and the real one frees it; recover has nothing to do."""
    assert operation(built, "ctas_recover", schema=built.schema) == []
    kept = [row["state"] for row in operation(built, "ctas_vacuum", model="orders")]
    assert kept == ["kept: it is the table", "kept: a rollback can return to it"]
    assert len(outside.versions()) == 2
    refused = built.dbt(
        "run-operation", "ctas_rollback", "--args={model: order}", column="1", rows=1
    )
    assert not refused.success
    assert "no table is published for model order" in refused.log
    wrong = built.dbt(
        "run-operation", "ctas_vacuum", "--args={dry_run: 'false'}", column="1", rows=1
    )
    assert not wrong.success
    assert "dry_run: 'false' is not true or false" in wrong.log


def test_a_vacuum_drops_the_staged_view_of_a_killed_run(built: Project) -> None:
    """Its model is none that a vacuum knows, and may never be built again."""
    staging = f"{built.schema}__ctas_spark"
    for end in ("20260101t120000x0a1b2c3d", "of_a_user"):
        built.rows(f"create view {staging}.customers__view__{end} as select 1 as n")
    left = f"{staging}.customers__view__20260101t120000x0a1b2c3d"
    for dry_run, state in ((True, "would be dropped"), (False, "dropped")):
        done = operation(built, "ctas_vacuum", dry_run=dry_run)
        assert {"table": left, "version": "(a staged view)", "state": state} in done
    names = [row.viewName for row in built.rows(f"show views in {staging} like 'customers*'")]
    assert names == ["customers__view__of_a_user"]


@pytest.mark.long
def test_a_vacuum_frees_a_version_of_many_files(project: Project, outside: Outside) -> None:
    """A dry run says what would go and deletes nothing; ``older_than`` replaces the grace."""
    project.write({"models/orders.sql": MODEL.replace("grace_period=0", "grace_period=3600")})
    for rows in (1, 2, 3):
        project.build(rows=rows, column="1 as a")
    live = outside.directory("orders")
    (old,) = set(outside.versions()) - {live.name, _kept_for_a_rollback(project)}
    for number in range(MANY):
        (live.parent / old / f"part-{number}.parquet").touch()

    would = operation(project, "ctas_vacuum", model="orders", older_than=0, dry_run=True)
    assert {row["version"] for row in would if row["state"] == "would be deleted"} == {old}
    assert len(list((live.parent / old).glob("part-*.parquet"))) > MANY

    freed = operation(project, "ctas_vacuum", model="orders", older_than=0)
    assert {row["version"] for row in freed if row["state"] == "deleted"} == {old}
    assert not (live.parent / old).exists()
    assert old not in outside.versions()


def test_old_versions_go_once_when_the_invocation_ends(project: Project, outside: Outside) -> None:
    """One line of the log says how many; the history has the figures."""
    project.write({f"models/m{number}.sql": MODEL for number in range(3)})
    for rows in (1, 2):
        project.build(rows=rows, column="1 as a")
    done = project.build(rows=3, column="1 as a")
    assert "3 old versions were deleted" in done.log
    assert len(outside.versions()) == len(outside.records()) == 6
    (live, _kept, _deleted) = operation(project, "ctas_history", model="m0")
    assert (live["rows"], live["state"]) == (3, "live")


def test_the_files_of_a_managed_table_go_by_a_vacuum(project: Project, outside: Outside) -> None:
    """Only there, and only past the grace; the row names the directory."""
    project.rows("create schema if not exists {schema}")
    project.rows("create table {schema}.orders using parquet as select 1 as id")
    before = outside.directory("orders")
    project.write({"models/orders.sql": MODEL})
    project.build(rows=1, column="1 as a")
    assert list(before.glob("*.parquet"))
    (freed,) = [
        row
        for row in operation(project, "ctas_vacuum", model="orders")
        if row["version"] == "(the replaced table)"
    ]
    assert str(before) in freed["state"]
    assert not before.exists()


@pytest.mark.long
def test_what_no_model_builds_is_found_and_goes(project: Project, outside: Outside) -> None:
    """Models that were renamed, or are views now, and a table that was dropped; a dry run first."""
    names = ("renamed", "viewed", "dropped")
    project.write({f"models/{name}.sql": MODEL for name in ("kept", *names)})
    for rows in (1, 2):
        project.build(rows=rows, column="1 as a")
    for name in ("renamed", "dropped"):
        (project.directory / "models" / f"{name}.sql").unlink()
    project.write({"models/viewed.sql": "{{ config(materialized='view') }} select 1 as id"})
    project.rows("drop table {schema}.dropped")
    project.build(rows=3, column="1 as a")
    before = outside.versions()
    would = operation(project, "ctas_vacuum", older_than=0, dry_run=True)
    assert {f"{project.schema}.{name} (no model)" for name in names} <= {
        row["table"] for row in would
    }
    assert outside.versions() == before
    for _ in (1, 2):  # the first one notes that a table is gone
        operation(project, "ctas_vacuum", older_than=0)
    assert len(outside.versions()) == len(outside.records()) == 4, "of kept and of renamed"
    project.rows("drop table {schema}.renamed")
    for _ in (1, 2):
        operation(project, "ctas_vacuum", older_than=0)
    assert len(outside.versions()) == len(outside.records()) == 2


def _kept_for_a_rollback(project: Project) -> str:
    (_live, kept, _old) = operation(project, "ctas_history", model="orders")
    return str(kept["version"])
