"""What the metastore says of a table's size, after hooks and increments that count."""

from pathlib import Path

import pytest

from ctas_spark.files.base import TOTAL_ROWS, TOTAL_SIZE
from functional.dbt_project import Project, new_project
from functional.outside import Outside
from servers.metastore import Metastore

COUNTS = "set spark.sql.statistics.size.autoUpdate.enabled = true"
ANALYZE = "analyze table {{ this }} compute statistics"
ROWS = "select id, cast(id % 2 as string) as part from range(1000)"
CONFIGS = {
    "scanned": f"materialized='table', post_hook='{ANALYZE}'",
    "looked_at": f"materialized='table', post_hook='{ANALYZE} noscan'",
    "by_column": f"materialized='table', post_hook='{ANALYZE} for columns id'",
    "added_to": f"materialized='incremental', pre_hook='{COUNTS}'",
    "filled": f"materialized='table', atomicity='none', pre_hook='{COUNTS}'",
    "in_a_database": "materialized='table'",
    "by_python": "materialized='table'",
}
PYTHON_MODEL = """
def model(dbt, session):
    dbt.ref('by_python')
    table = f'{dbt.this.schema}.by_python'
    session.sql('analyze table identifier(:name) compute statistics', args={'name': table})
    session.sql('analyze tables compute statistics noscan')
    session.sql(sqlQuery=f'analyze table {table} compute statistics')
    return session.range(1)
"""
MACRO = """{% macro count_all() %}
  {%- do run_query("analyze tables in " ~ target.schema ~ " compute statistics") -%}
{% endmacro %}"""
ADDED = 2
"""Each of two runs adds all rows."""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, metastore: Metastore) -> Outside:
    """Partitioned tables, built twice; then an operation counts all of the schema."""
    project: Project = new_project(tmp_path_factory.mktemp("statistics"), metastore)
    models = {
        f"models/{name}.sql": f"{{{{ config({config}, partition_by='part') }}}} {ROWS}"
        for name, config in CONFIGS.items()
    }
    project.write({**models, "models/counting.py": PYTHON_MODEL, "macros/count_all.sql": MACRO})
    project.build()
    project.build()
    outside = Outside(metastore, project.schema)
    before = {name: said(outside, name) for name in CONFIGS}
    assert before == {name: true(outside, name) for name in CONFIGS}
    assert project.dbt("run-operation", "count_all").success
    return outside


def said(outside: Outside, table: str) -> int:
    """The size in the entry, by which Spark chooses its joins."""
    return int(outside.parameters(table)[TOTAL_SIZE])


def true(outside: Outside, table: str) -> int:
    """The size of its files."""
    files: list[Path] = [*outside.directory(table).rglob("part-*.parquet")]
    return sum(one.stat().st_size for one in files)


@pytest.mark.parametrize("table", CONFIGS)
def test_a_size_that_was_counted_is_that_of_the_files(built: Outside, table: str) -> None:
    """ANALYZE in a hook, an operation or Python, and an INSERT where Spark is to count each."""
    assert said(built, table) == true(built, table) > 0


@pytest.mark.parametrize("table", CONFIGS)
def test_rows_that_were_counted_are_true(built: Outside, table: str) -> None:
    """The operation has counted them."""
    rows = int(built.parameters(table)[TOTAL_ROWS])
    assert rows == (1000 * ADDED if table == "added_to" else 1000)
