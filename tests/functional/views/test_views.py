"""Views that take something's place: readers find the old one or the new one."""

import threading

import pytest
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession
from typing_extensions import Self

from functional.dbt_project import Project
from functional.outside import Outside

DOCS = (
    "models: [{name: orders, description: 'all \\orders', config: {persist_docs: {relation: true, "
    "columns: true}}, columns: [{name: id, description: 'its ''id'' \\'}]}]"
)
MIXED = (
    "cannot be cast to class org.apache.hadoop.io.BinaryComparable",
    'Cannot invoke "org.apache.hadoop.fs.Path.toString()"',
    "Invalid view without text",
)
"""What Spark says of one read of both entries: of a view's format with a table's directory, of a
table that has none, as a view has none (an INTERNAL_ERROR, whose cause it is), and of a view with a
table's lack of a query."""
VIEW, TABLE = "{{ config(materialized='view') }}", "{{ config(materialized='table') }}"
BY_KEY = "{{ config(materialized='table', partition_by='k') }}"


def with_orders(project: Project, model: str, yml: str = "") -> Project:
    """The model ``orders``."""
    project.write({"models/orders.sql": model, "models/orders.yml": yml})
    return project


def entry(project: Project) -> dict[str, str]:
    """What Spark says of ``orders``; a row's name is its first word."""
    rows = project.rows("describe extended {schema}.orders")
    return {row.col_name: row.data_type for row in rows}


class Reader(threading.Thread):
    """Reads ``orders`` in a session of its own until it is told to stop; keeps what failed.

    A read that mixed two entries does not count: a remote metastore does not promise better.
    """

    def __init__(self, project: Project) -> None:
        super().__init__(daemon=True)
        self.over, self.failed, self.read = threading.Event(), list[str](), set[int]()
        self._query = f"select n from {project.schema}.orders"

    def run(self) -> None:
        session = SparkSession.active().newSession()
        while not self.over.is_set():
            self._read_once(session)

    def _read_once(self, session: SparkSession) -> None:
        try:
            (row,) = session.sql(self._query).collect()
            self.read.add(row.n)
        except (Py4JError, PySparkException, ValueError) as error:
            if not any(one in str(error) for one in MIXED):
                self.failed.append(str(error))

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.over.set()
        self.join()


def test_a_view_with_comments_is_replaced_by_one_call(project: Project) -> None:
    """Its comments change with it, and nothing of it is left in the staging schema."""
    with_orders(project, f"{VIEW} select 1 as id", DOCS).build()
    created = entry(project)["Created Time"]
    changed = with_orders(project, f"{VIEW} select 2 as id, 3 as n", DOCS).build()
    assert f"create or replace view {project.schema}.orders" not in changed.log
    found = entry(project)
    assert (found["Comment"], found["Created Time"]) == ("all \\orders", created)
    (described,) = project.rows("describe {schema}.orders id")[2:]
    assert described.info_value == "its 'id' \\"
    assert [tuple(row) for row in project.rows("select * from {schema}.orders")] == [(2, 3)]
    staged = project.rows("show views in {schema}__ctas_spark")
    assert not [row for row in staged if "view__" in row.viewName]


@pytest.mark.parametrize("yml", ["", DOCS])
def test_readers_always_find_a_table_or_a_view(project: Project, yml: str) -> None:
    """While a model is a table, a view, another view, and a table again."""
    with_orders(project, f"{TABLE} select 0 as n", yml).build()
    with Reader(project) as reader:
        for number, kind in enumerate((VIEW, VIEW, TABLE, VIEW, TABLE), start=1):
            with_orders(project, f"{kind} select {number} as n", yml).build()
    assert not reader.failed, "\n".join(reader.failed)
    assert {row.n for row in project.rows("select n from {schema}.orders")} == {5}
    assert reader.read <= set(range(6))


@pytest.mark.parametrize("yml", ["", DOCS])
@pytest.mark.parametrize(
    "hook", ["drop view if exists {{ this }}", "create or replace view {{ this }} as select 2 as n"]
)
def test_a_view_that_its_hook_has_changed_is_built(project: Project, hook: str, yml: str) -> None:
    """dbt listed it before the hook."""
    model = f'{{{{ config(pre_hook="{hook}") }}}} select 1 as n'
    for _ in range(2):
        with_orders(project, model, yml).build()
    assert project.rows("select n from {schema}.orders") == [(1,)]


@pytest.mark.parametrize("table", [TABLE, BY_KEY], ids=["by one call", "by a drop"])
def test_a_view_of_what_it_would_replace_is_refused(project: Project, table: str) -> None:
    """The table stays; a view of itself could never be read."""
    with_orders(project, f"{table} select 1 as n, 2 as k").build()
    told = with_orders(project, f"{VIEW} select * from {{{{ this }}}}").dbt("run")
    assert "the view reads what it would replace" in told.message("orders")
    assert [row.n for row in project.rows("select n from {schema}.orders")] == [1]


def test_a_view_that_spark_refuses_costs_no_table(project: Project) -> None:
    """Spark is asked before anything is changed."""
    with_orders(project, f"{TABLE} select 1 as n").build()
    assert not with_orders(project, f"{VIEW} select nn from range(1)").dbt("run").success
    assert [row.n for row in project.rows("select n from {schema}.orders")] == [1]


def test_a_query_that_the_metastore_has_no_room_for_is_no_view(project: Project) -> None:
    """Derby holds 32,700 characters; a table needs none of them, and stays where a view fails."""
    query = f"select '{'x' * 33_000}' as n"
    with_orders(project, f"{TABLE} {query}").build()
    told = with_orders(project, f"{VIEW} {query}").dbt("run").message("orders")
    assert "the view's query is too long" in told
    assert "set materialized to table or ephemeral" in told
    assert [len(row.n) for row in project.rows("select n from {schema}.orders")] == [33_000]


def test_the_files_of_a_managed_table_go_as_before(project: Project) -> None:
    """Spark drops it: its directory would be in the way of the next table."""
    project.write({})
    SparkSession.active().sql(f"create schema if not exists {project.schema}")
    SparkSession.active().sql(
        f"create table {project.schema}.orders using parquet as select 1 as n"
    )
    with_orders(project, f"{VIEW} select 2 as n").build()
    assert [row.n for row in project.rows("select n from {schema}.orders")] == [2]


def test_a_materialized_view_is_refused(project: Project, outside: Outside) -> None:
    """Before its hooks, and whatever has its name stays."""
    project.write({"models/shown.sql": "select 1 as id"})
    project.build()
    hook = "pre_hook='create table {{ this }}_hook (a int)'"
    model = f"{{{{ config(materialized='materialized_view', {hook}) }}}} select 2 as id"
    project.write({"models/shown.sql": model})
    message = project.dbt("run").message("shown")
    assert "[NOT_SUPPORTED] a materialized view can't be made" in message
    assert "set materialized to table or incremental" in message
    assert project.rows("select * from {schema}.shown")[0].id == 1
    assert outside.tables() == ["shown"]
