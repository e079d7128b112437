"""A project of dbt-spark's becomes atomic by its profile, and goes back."""

from functional.dbt_project import Project
from functional.outside import Outside

TABLE = (
    "{{ config(materialized='table', file_format='parquet') }} "
    "select {{ var('n') }} as n, {{ var('n') }} as k"
)


def test_switching_the_type_makes_every_table_atomic(project: Project, outside: Outside) -> None:
    """Tables of stock dbt-spark are taken over by the next build, with the same model files."""
    partitioned = TABLE.replace("'parquet'", "'parquet', partition_by='k'")
    project.write({"models/plain.sql": TABLE, "models/partitioned.sql": partitioned})
    project.write_profile("spark")
    project.build(n=1)
    assert "ctas_spark_version" not in outside.parameters("plain")

    project.write_profile()
    run = project.build(n=2)
    for model in ("plain", "partitioned"):
        assert run.response(model)["atomicity"] == "isolated"
        assert "base_version" not in run.response(model)
        rows = project.rows(f"select n, k from {{schema}}.{model}")
        assert [(row.n, row.k) for row in rows] == [(2, 2)]
