"""History, rollback, vacuum and recovery, without a dbt project."""

import pytest
from pyspark.sql import SparkSession

from ctas_spark import (
    InvalidArgumentError,
    NoSuchVersionError,
    history,
    recover,
    rollback,
    save_as,
    vacuum,
)
from functional.dbt_project import Project
from functional.outside import Outside


def test_a_table_of_dbts_is_rolled_back_by_pyspark_code(
    project: Project, spark: SparkSession, schema: str
) -> None:
    """And the other way around: it is one table, with one history."""
    project.write({"models/orders.sql": "{{ config(materialized='table') }} select 1 as id"})
    by_dbt = project.build().response("orders")["version"]
    table = f"{schema}.orders"
    ours = save_as(spark.range(3), table).replace()
    assert rollback(table).version == by_dbt
    assert [row.id for row in spark.newSession().table(table).collect()] == [1]
    arguments = f"{{model: orders, version: {ours.version}}}"
    assert project.dbt("run-operation", "ctas_rollback", "--args", arguments).success
    kinds = [(one.version, one.kind) for one in history(table)]
    assert kinds == [
        (ours.version, "rollback"),
        (by_dbt, "rollback"),
        (ours.version, "build"),
        (by_dbt, "build"),
    ]
    with pytest.raises(NoSuchVersionError):
        rollback(table, "20200101t000000x00000000")


@pytest.mark.looks_at_every_table
def test_a_vacuum_says_what_it_frees_and_why_the_rest_stays(
    spark: SparkSession, schema: str, outside: Outside
) -> None:
    """By the options that the table was published with, in capital letters or small ones."""
    records = f"{schema}__ctas_spark".upper()
    for count in (1, 2, 3):
        writer = save_as(spark.range(count), "orders").option("staging_schema", records)
        last = writer.option("versions_to_keep", 2).create_or_replace()
    looked = vacuum("orders", older_than=0, dry_run=True)
    assert (len(looked.freed), len(looked.kept)) == (1, 2)
    assert len(outside.versions()) == 3
    swept = vacuum("orders", {"versions_to_keep": 0, "staging_schema": records}, older_than=0)
    assert (len(swept.freed), list(swept.kept)) == (2, [last.version])
    assert recover("orders") == ()
    with pytest.raises(InvalidArgumentError, match="older_than"):
        vacuum(f"{schema}.orders", older_than=-1)
