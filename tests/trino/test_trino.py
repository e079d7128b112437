"""What Trino reads of what dbt publishes: another process, with code of its own."""

import threading

import pytest

from functional.dbt_project import Project
from servers.trino import Trino

ODD = ("a/b", "x=y", "100%", "a b", "größer", "it's", "_x", "UPPER", "a:b")
PLAIN = """
{{ config(materialized='table', file_format=var('format')) }}
select id, id * {{ var('n') }} as amount
{% if var('n') > 2 %}, concat('new ', id) as more {% endif %}
from range({{ var('n') }})
"""
BY_K = """
{{ config(materialized='table', partition_by='k', partition_metadata=var('metadata')) }}
select {{ var('n') }} as n, k from values
{%- for k in var('k') %} ({{ k | tojson }}){{ "," if not loop.last }}{% endfor %} as t(k)
"""
ONE = """
{{ config(materialized='table') }} select {{ var('n') }} as n from range({{ var('n') }}, 1000)
"""


@pytest.mark.parametrize("file_format", ["parquet", "orc"])
def test_every_version_of_a_table_is_read(project: Project, trino: Trino, file_format: str) -> None:
    """Right after its publication, and with a column that came."""
    project.write({"models/plain.sql": PLAIN})
    for n in (1, 2, 3):
        project.build(n=n, format=file_format)
        columns = "id, amount" + (", more" if n > 2 else "")
        found = trino.rows(f"select {columns} from hive.{project.schema}.plain order by id")
        assert found == [(i, i * n, *((f"new {i}",) if n > 2 else ())) for i in range(n)]


def test_tracked_partitions_of_any_value_are_read(project: Project, trino: Trino) -> None:
    """Partitions that stay, come and go, each by its value, as Spark finds it, too."""
    project.write({"models/by_k.sql": BY_K})
    for n, values in enumerate((ODD[:6], ODD, ODD[3:], ODD[3:]), 1):
        project.build(n=n, metadata="tracked", k=list(values))
        wanted = sorted((n, k) for k in values)
        table = f"{project.schema}.by_k"
        assert sorted(trino.rows(f"select n, k from hive.{table}")) == wanted
        assert sorted((row.n, row.k) for row in project.rows(f"select n, k from {table}")) == wanted
        for k in values:
            where = f"from {table} where k = '{k.replace(chr(39), chr(39) * 2)}'"
            assert trino.rows(f"select n {where}".replace(table, f"hive.{table}")) == [(n,)], k
        assert len(project.rows(f"show partitions {table}")) == len(values)


def test_partitions_that_spark_lists_have_no_rows(project: Project, trino: Trino) -> None:
    """As the run that makes such a table says."""
    project.write({"models/by_k.sql": BY_K})
    run = project.build(n=1, metadata="auto", k=["a"])
    assert "other engines, which ask the metastore for them, find no rows" in run.log
    assert trino.rows(f"select * from hive.{project.schema}.by_k") == []


def test_a_reader_beside_publications_reads_one_version(project: Project, trino: Trino) -> None:
    """No query fails, and none reads two versions, or a part of one."""
    project.write({"models/one.sql": ONE})
    project.build(n=0)
    ends, found = threading.Event(), list[tuple[int, int, int]]()
    query = f"select min(n), max(n), count(*) from hive.{project.schema}.one"

    def read() -> None:
        while not ends.is_set():
            found.extend(trino.rows(query))

    reader = threading.Thread(target=read)
    reader.start()
    try:
        for n in range(1, 11):
            project.build(n=n)
    finally:
        ends.set()
        reader.join()
    assert all(low == high == 1000 - count for low, high, count in found)
    assert len({low for low, _, _ in found}) > 1
