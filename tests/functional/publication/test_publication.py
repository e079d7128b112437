"""A model is staged, then published by one call."""

import json

from pyspark.sql import SparkSession

from contract.claims import SWAPS
from ctas_spark.engines.jvm import shared_state
from functional.dbt_project import Project
from functional.outside import Outside

ORDERS = (
    "{{ config(materialized='atomic_table') }} "
    "select id, {{ var('columns', \"'x' as a\") }} from range({{ var('n', 10) }})"
)


def test_a_model_is_created_then_replaced_with_another_schema(
    project: Project, outside: Outside
) -> None:
    """The second build changes rows and columns together; the lineage names both versions."""
    project.write({"models/orders.sql": ORDERS})
    first = project.build().response("orders")
    second = project.build(n=7, columns="id * 2 as b, current_date() as c").response("orders")

    rows = project.rows("select * from {schema}.orders order by id")
    assert [row.asDict()["b"] for row in rows] == [2 * id_ for id_ in range(7)]
    assert list(rows[0].asDict()) == ["id", "b", "c"]
    assert (first["commit_strategy"], second["commit_strategy"]) == ("create", "swap")
    assert second["base_version"] == first["version"]
    lineage = outside.parameters("orders")["ctas_spark_lineage"].split(",")
    assert [entry.split("_")[1] for entry in lineage] == [second["version"], first["version"]]


def test_run_results_say_what_was_published(project: Project) -> None:
    """adapter_response has every field that a publication has, and none that is not known.

    With dbt's printer width of docs/quickstart.md, the model's line fits into 100 columns.
    """
    project.write({"models/orders.sql": ORDERS})
    run = project.dbt("run", "--printer-width=60")
    assert run.success, run.log
    response = dict(run.response("orders"))
    assert response.pop("stage_seconds") > 0
    assert response.pop("commit_seconds") > 0
    assert response.pop("bytes") > 0
    assert response.pop("files") >= 1
    version = response.pop("version")
    assert response == {
        "_message": "10 rows published",
        "code": "committed",
        "rows_affected": 10,
        "atomicity": "isolated" if SWAPS else "atomic",
        "reader_window": "none",
        "conflict_check": "cas" if SWAPS else "none",
        "staging_purpose": "create_or_replace",
        "commit_strategy": "create",
        "outcome": "committed",
    }
    (line,) = (one for one in run.log.splitlines() if "[10 rows published in" in one)
    assert len(f"12:00:00  {line}") <= 100, line
    assert f"| orders | {version} |" in run.log


def test_figures_are_those_of_the_write_and_not_of_what_was_read(
    project: Project, outside: Outside
) -> None:
    """Rows, files and bytes are what lies in the version's directory, whatever was scanned."""
    model = (
        "{{ config(materialized='table', partition_by='k') }} "
        "select count(*) as n, id % 3 as k from range(0, 5000, 1, 4) group by 2"
    )
    project.write({"models/orders.sql": model})
    response = project.build().response("orders")
    files = list(outside.directory("orders").rglob("*.parquet"))
    assert response["rows_affected"] == 3
    assert response["files"] == len(files)
    assert response["bytes"] == sum(file.stat().st_size for file in files)


def test_the_target_is_external_and_lies_in_its_versions_directory(
    project: Project, outside: Outside
) -> None:
    """No drop or rename takes data along, and every version has a directory of its own."""
    project.write({"models/orders.sql": ORDERS})
    version = project.build().response("orders")["version"]
    assert outside.entry("orders").tableType == "EXTERNAL_TABLE"
    assert outside.directory("orders").name == version
    assert outside.directory("orders").parent.name == f"{project.schema}.orders"
    assert outside.parameters("orders")["ctas_spark_target"] == f"{project.schema}.orders"


def test_each_version_has_a_record_outside_the_users_schema(
    project: Project, outside: Outside
) -> None:
    """Records live in the staging schema; the user's schema holds the model alone."""
    project.write({"models/orders.sql": ORDERS})
    version = project.build().response("orders")["version"]
    assert outside.records() == [f"orders__{version}"]
    assert outside.tables() == ["orders"]


def test_a_following_model_and_a_test_read_the_new_version(project: Project) -> None:
    """Within one run, what comes after a publication sees it."""
    downstream = (
        "{{ config(materialized='atomic_table') }} select count(*) as n from {{ ref('orders') }}"
    )
    test = "select * from {{ ref('total') }} where n != {{ var('n', 10) }}"
    project.write(
        {"models/orders.sql": ORDERS, "models/total.sql": downstream, "tests/total_fits.sql": test}
    )
    assert project.dbt("build").success
    assert project.dbt("build", n=3).success
    assert project.rows("select n from {schema}.total")[0].n == 3


def test_the_sessions_own_reads_see_the_new_version(project: Project) -> None:
    """A table that the session of the call before has read, or cached, is read anew."""
    project.write({"models/orders.sql": ORDERS})
    project.build(n=1)
    table = f"{project.schema}.orders"
    for statement, rows in (("select 1", 2), (f"cache table {table}", 3)):
        session = SparkSession.active()
        assert session.table(table).count() == rows - 1
        session.sql(statement)
        project.build(n=rows)
        assert session.table(table).count() == rows
    assert shared_state(session).cacheManager().isEmpty()


def test_a_view_and_a_table_replace_each_other(project: Project, outside: Outside) -> None:
    """A model that changes from view to table and back is what it was last built as."""
    orders = "{{ config(materialized=var('as')) }} select {{ var('n') }} as n"
    project.write({"models/orders.sql": orders})
    for number, kind in enumerate(["view", "atomic_table", "view", "table"]):
        project.build(**{"as": kind, "n": number})
        assert project.rows("select n from {schema}.orders")[0].n == number
        is_view = outside.entry("orders").tableType == "VIRTUAL_VIEW"
        assert is_view == (kind == "view")


def test_create_if_not_exists_keeps_until_a_full_refresh(project: Project) -> None:
    """The model succeeds and says kept; --full-refresh rebuilds it."""
    orders = (
        "{{ config(materialized='atomic_table', staging_purpose='create_if_not_exists') }} "
        "select {{ var('n') }} as n"
    )
    project.write({"models/orders.sql": orders})
    project.build(n=1)
    kept = project.build(n=2)
    assert kept.response("orders")["outcome"] == "kept"
    assert project.rows("select n from {schema}.orders")[0].n == 1
    assert project.dbt("run", "--full-refresh", n=3).success
    assert project.rows("select n from {schema}.orders")[0].n == 3


def test_create_and_replace_refuse_what_does_not_fit(project: Project, outside: Outside) -> None:
    """create fails on an existing table and replace on a missing one, before any job."""
    orders = "{{ config(materialized='atomic_table', staging_purpose=var('p')) }} select 1 as n"
    project.write({"models/orders.sql": orders})
    missing = project.dbt("run", p="replace")
    assert "[NO_SUCH_TABLE] the table to replace does not exist" in missing.message("orders")
    assert project.dbt("run", p="create").success
    assert project.dbt("run", p="replace").success
    existing = project.dbt("run", p="create")
    assert "[TABLE_ALREADY_EXISTS] the table to create exists already" in existing.message("orders")
    assert len(outside.versions()) == 2


def test_level_none_fills_the_published_table_in_place(project: Project) -> None:
    """At level none a failure leaves what was written: the old rows are gone."""
    orders = (
        "{{ config(materialized='atomic_table', atomicity='none', partition_by='k') }} "
        "select id % 2 as k, {{ var('v', 'id') }} as v from range(10) -- done"
    )
    project.write({"models/orders.sql": orders})
    response = project.build().response("orders")
    assert (response["atomicity"], response["reader_window"]) == ("none", "mixed")
    assert response["commit_strategy"] == "in_place"
    assert response["rows_affected"] == 10
    assert project.rows("select sum(v) as v from {schema}.orders")[0].v == 45
    failed = project.dbt("run", v="cast(raise_error('broken') as bigint)")
    assert "keeps the rows written until then" in failed.message("orders")
    assert project.rows("select count(*) as n from {schema}.orders")[0].n == 0


def test_docs_describe_a_published_model(project: Project) -> None:
    """dbt docs generate finds columns and figures; persisted docs stand on table and columns."""
    described = """{"models": [{"name": "orders", "description": "It's \\"ours\\"",
        "config": {"persist_docs": {"relation": true, "columns": true}},
        "columns": [{"name": "id", "description": "the order's \\\\ id"}]}]}"""
    parts = (
        "{{ config(materialized='table', partition_by='k') }} "
        "select map('a', array(struct(1 as B))) as n, 2 as k"
    )
    project.write(
        {"models/orders.sql": ORDERS, "models/orders.yml": described, "models/parts.sql": parts}
    )
    built = project.build()
    comments = {row.col_name: row.comment for row in project.rows("describe {schema}.orders")}
    assert comments["id"] == "the order's \\ id"
    described_table = project.rows("describe extended {schema}.orders")
    assert any(row.data_type == 'It\'s "ours"' for row in described_table)
    assert project.dbt("docs", "generate").success
    catalog = json.loads((project.directory / "target" / "catalog.json").read_text())
    assert catalog["nodes"]["model.tested.orders"]["columns"]["id"]["type"] == "bigint"
    nested = catalog["nodes"]["model.tested.parts"]["columns"]["n"]
    assert nested["type"] == "map<string,array<struct<B:int>>>"
    for name in ("orders", "parts"):
        told, counted = catalog["nodes"][f"model.tested.{name}"]["stats"], built.response(name)
        assert told["rows"]["value"] == counted["rows_affected"]
        assert told["bytes"]["value"] == counted["bytes"]
        assert told["rows"]["description"] == (
            f"counted when version {counted['version']} was published"
        )


def test_seeds_keep_quotes_nulls_and_large_numbers(project: Project) -> None:
    """A seed's values reach the table unchanged."""
    seed = "code,name,big\nORD,Chicago O'Hare \\ Intl,9007199254740993\nJFK,,1\n"
    project.write({"seeds/airports.csv": seed})
    assert project.dbt("seed").success
    rows = project.rows("select * from {schema}.airports order by code")
    assert (rows[1].name, rows[1].big) == ("Chicago O'Hare \\ Intl", 9007199254740993)
    assert rows[0].name is None
