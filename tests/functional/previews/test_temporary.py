"""Temporary objects in dbt and in PySpark: they shadow what is permanent, and end with the run."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from ctas_spark import (
    create_temporary_function,
    create_temporary_table,
    create_temporary_view,
    drop_temporary_function,
    drop_temporary_table,
    drop_temporary_view,
    list_temporary_functions,
    list_temporary_tables,
    list_temporary_views,
    resolve_path,
)
from ctas_spark.errors import InvalidArgumentError
from functional.dbt_project import Project

SHADOW = "{{ config(materialized='temporary_view') }} select 1 as id"


def test_a_temporary_view_shadows_a_table_within_one_run(project: Project) -> None:
    """The table stays, and the next run reads it again."""
    project.write({"models/few.sql": "{{ config(materialized='table') }} select 5 as id"})
    project.build()
    read = "{{ config(materialized='table') }} select few.id from {{ ref('few') }}"
    project.write({"models/few.sql": SHADOW, "models/copied.sql": read})
    project.build()
    assert [row.id for row in project.rows("select * from {schema}.copied")] == [1]
    assert [row.id for row in project.rows("select * from {schema}.few")] == [5]
    assert project.dbt("run", "--select=copied").success
    assert [row.id for row in project.rows("select * from {schema}.copied")] == [5]


def test_what_is_permanent_can_not_depend_on_it(project: Project) -> None:
    """Nor is there a temporary table of a query's rows, nor is a shadowed table dropped."""
    dropped = (
        "-- depends_on: {{ ref('few') }}\n"
        "{% if execute %}{% do adapter.drop_relation(ref('few')) %}{% endif %} select 1 as n"
    )
    project.write(
        {
            "models/few.sql": SHADOW,
            "models/viewed.sql": "{{ config(materialized='view') }} select * from {{ ref('few') }}",
            "models/selected.sql": SHADOW.replace("temporary_view", "temporary_table"),
            "models/dropping.sql": dropped,
        }
    )
    run = project.dbt("run")
    assert "temporary object" in run.message("viewed")
    assert "set materialized to temporary_view" in run.message("selected")
    assert "[SHADOWED]" in run.message("dropping")


def test_pyspark_has_them_without_dbt(spark: SparkSession, tmp_path: Path) -> None:
    """A path may leave out the catalog and the schema; drops touch nothing else."""
    create_temporary_view("orders", "select 1 as id")
    create_temporary_view("`no such`.orders", spark.range(2))
    assert spark.sql(f"select orders.id from {resolve_path('default.orders')}").count() == 1
    assert spark.table(resolve_path("`no such`.orders")).count() == 2
    assert list_temporary_views() == [
        "spark_catalog.default.orders",
        "spark_catalog.no such.orders",
    ]
    assert spark.sql("show tables in default like 'orders'").collect() == []

    spark.range(3).write.parquet(str(tmp_path / "data"))
    create_temporary_table("three", "parquet", {"path": str(tmp_path / "data")})
    assert spark.table(resolve_path("three")).count() == 3
    assert list_temporary_tables() == ["spark_catalog.default.three"]
    assert not drop_temporary_view("three")
    assert drop_temporary_table("three")
    assert list((tmp_path / "data").glob("*.parquet"))

    assert [drop_temporary_view("orders") for _ in range(2)] == [True, False]
    assert drop_temporary_view("`no such`.orders")
    assert resolve_path("orders") == "`spark_catalog`.`default`.`orders`"


def test_functions_of_a_session_and_of_a_catalog(spark: SparkSession) -> None:
    """By an expression, a callable or a class; Spark's own functions are not shadowed."""
    create_temporary_function("plus_one", expression="x + 1", parameters="x int", returns="int")
    create_temporary_function("shop.twice", function=lambda x: 2 * x, returns="int")
    twice = resolve_path("shop.twice", is_function=True)
    assert spark.sql(f"select {twice}(plus_one(2)) as n").collect()[0].n == 6
    with pytest.raises(InvalidArgumentError, match="abs is a function of Spark's"):
        create_temporary_function("abs", function=lambda x: x)
    assert list_temporary_functions() == [
        "spark_catalog.default.plus_one",
        "spark_catalog.shop.twice",
    ]
    assert drop_temporary_function("plus_one")
    assert drop_temporary_function("shop.twice")
    assert resolve_path("shop.twice", is_function=True) == "`spark_catalog`.`shop`.`twice`"
