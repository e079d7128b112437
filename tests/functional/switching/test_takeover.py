"""What may stand in the target's place when a model is built for the first time."""

import shutil
from pathlib import Path

import pytest

from functional.dbt_project import Project
from functional.outside import Outside

MODEL = "{{ config(materialized='table') }} select {{ var('n') }} as n"


def built_over(project: Project, outside: Outside, *statements: str) -> None:
    """Make something of that name by SQL, build the model over it, and build it again."""
    project.write({"models/orders.sql": MODEL, "models/other.sql": MODEL})
    assert project.dbt("run", "-s", "other", n=0).success  # makes the schema
    for statement in statements:
        project.rows(statement)
    for number in (1, 2):
        assert project.dbt("run", "-s", "orders", n=number).success
        assert [row.n for row in project.rows("select * from {schema}.orders")] == [number]
    assert outside.entry("orders").tableType == "EXTERNAL_TABLE"


def test_a_table_of_another_format_and_schema(project: Project, outside: Outside) -> None:
    """A plain csv table with other columns is replaced by the same commit."""
    built_over(project, outside, "create table {schema}.orders (a string, b date) using csv")


def test_a_table_at_a_location_of_its_own(
    project: Project, outside: Outside, tmp_path: Path
) -> None:
    """An external table's files stay where they are, with what else lies there."""
    place = tmp_path / "shared"
    built_over(
        project,
        outside,
        f"create table {{schema}}.orders using parquet location '{place}' as select 'old' as n",
    )
    assert list(place.glob("*.parquet"))


@pytest.mark.looks_at_every_table
def test_a_managed_tables_files_go_with_their_readers(project: Project, outside: Outside) -> None:
    """After the grace the default directory is free again; what was published stays."""
    project.write({"models/orders.sql": MODEL, "models/other.sql": MODEL})
    assert project.dbt("run", "-s", "other", n=0).success  # makes the schema
    project.rows("create table {schema}.orders using parquet as select 'old' as n")
    before = Path(outside.directory("orders"))
    assert project.dbt("run", "-s", "orders", n=1).success
    assert list(before.glob("*.parquet"))

    vacuum = project.dbt("run-operation", "ctas_vacuum", "--args={older_than: 0}", n=1)

    assert vacuum.success, vacuum.log
    assert f"deleted: file:{before}" in vacuum.log
    assert not before.exists()
    assert [row.n for row in project.rows("select n from {schema}.orders")] == [1]


def test_a_table_whose_directory_is_gone(project: Project, outside: Outside) -> None:
    """A table that has lost its files is replaced like any other."""
    project.write({"models/orders.sql": MODEL})
    project.build(n=1)
    shutil.rmtree(outside.directory("orders"))
    project.build(n=2)
    assert [row.n for row in project.rows("select n from {schema}.orders")] == [2]


def test_a_clone_of_our_marker_is_foreign(project: Project, outside: Outside) -> None:
    """A clone that copied properties and location is replaced; the table it copied is not."""
    project.write({"models/orders.sql": MODEL, "models/other.sql": MODEL})
    assert project.dbt("run", "-s", "other", n=7).success
    (made,) = project.rows("show create table {schema}.other")
    project.rows(made.createtab_stmt.replace(".other", ".orders", 1))
    assert outside.parameters("orders")["ctas_spark_target"] == f"{project.schema}.other"
    before = outside.entry("other")

    run = project.dbt("run", "-s", "orders", n=1)

    assert run.success, run.log
    assert "base_version" not in run.response("orders")
    assert outside.parameters("orders")["ctas_spark_target"] == f"{project.schema}.orders"
    assert outside.entry("other") == before
    assert [row.n for row in project.rows("select n from {schema}.other")] == [7]


def test_going_back_to_stock_dbt_spark(project: Project, outside: Outside) -> None:
    """A table that this adapter made is a plain external table to dbt-spark's next run."""
    project.write({"models/orders.sql": MODEL})
    project.build(n=1)
    project.build(n=2)
    project.write_profile("spark")
    project.build(n=3)
    assert [row.n for row in project.rows("select n from {schema}.orders")] == [3]
    assert "ctas_spark_version" not in outside.parameters("orders")
