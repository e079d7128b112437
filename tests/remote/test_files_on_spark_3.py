"""Tables of files over the Thrift server of Spark 3, in `bin/other-pyspark 3.5.9`."""

from pathlib import Path

import pytest

from functional.dbt_project import Project
from servers.remote import IS_SPARK_3, server_of_files

MODEL = """
{{ config(materialized='table', versions_to_keep=0, partition_by='day') }}
select id, '{{ var("name") }}' as name, id % 2 as day from range(3)
{% if var("fails", false) %} where cast(raise_error('no ' || id) as boolean) {% endif %}
"""
GROWN = """
{{ config(materialized='incremental', unique_key='id', incremental_strategy='merge') }}
select id, '{{ var("name") }}' as name from range({{ var("first", 0) }}, {{ var("first", 0) }} + 2)
"""
VACUUM = ("run-operation", "ctas_vacuum", "--args", "{older_than: 0, fence: true}")


@pytest.mark.skipif(not IS_SPARK_3, reason="not Spark 3: bin/other-pyspark 3.5.9 runs it")
def test_tables_of_files_are_published_over_spark_3(tmp_path: Path) -> None:
    """A listing there is a temporary view first; the metastore of its Hive does not compare."""
    project = Project(tmp_path / "project", "shop", {})
    project.directory.mkdir()
    project.write({"models/model.sql": MODEL, "models/grown.sql": GROWN})
    with server_of_files(tmp_path) as (server, metastore):
        project.write_profile("ctas_spark", **server.profile("thrift"), metastore=metastore.uri)
        others = server.new_session()

        def rows(query: str) -> list[tuple[object, ...]]:
            others.sql("refresh table shop.model")
            return sorted(tuple(row) for row in others.sql(query).collect())

        for first, name in enumerate(("one", "two")):
            built = project.dbt("build", name=name, first=first)
            assert built.success, built.log
            assert built.response("model")["atomicity"] == "atomic"
            assert rows("select distinct name from shop.model") == [(name,)]
        assert rows("select * from shop.grown") == [(0, "one"), (1, "two"), (2, "two")]

        failed = project.dbt("run", "--select", "model", name="bad", fails=True)
        assert "still holds version" in failed.message("model")
        vacuum = project.dbt(*VACUUM)
        assert vacuum.success, vacuum.log
        left = list((tmp_path / "warehouse" / "shop.db").glob("ctas-spark/*/shop.model/*"))
        assert len(left) == 1
        assert rows("select distinct name from shop.model") == [("two",)]
        assert rows("show views like 'ctas_spark*'") == []
        others.stop()
