"""What dbt-core 1.12 added, as it is done on Spark."""

import json

from functional.dbt_project import Project

POINTED = {
    "name": "orders",
    "latest_version": 2,
    "config": {"materialized": "table"},
    "versions": [{"v": 1}, {"v": 2}],
}
OVERLOADED = {
    "name": "twice",
    "arguments": [{"name": "n", "data_type": "int"}],
    "returns": {"data_type": "int"},
    "overloads": [
        {"defined_in": "twice_text", "arguments": [{"name": "s", "data_type": "string"}]}
    ],
}
POINTER = "{{ api.Relation.create(schema=target.schema, identifier='orders') }}"
TABLE = "{{ config(materialized='table') }}"
FLAGS = {
    "latest_version_pointer_enabled_by_default": True,
    "require_sql_header_in_test_configs": True,
    "enable_truthy_nulls_equals_macro": True,
}
HEADER = "set of.header = 1; set of.test = 2;"
OF_HEADER = "select 1 as n where '${of.header}${of.test}' <> '12'"
FILES = {
    "dbt_project.yml": json.dumps({"name": "tested", "profile": "tested", "flags": FLAGS}),
    "models/orders.yml": json.dumps({"models": [POINTED]}),
    "models/orders_v1.sql": "select 1 as id",
    "models/orders_v2.sql": "select {{ var('id', 2) }} as id",
    "models/fails.sql": "{{ config(materialized='table', on_error='continue') }} select no_such",
    "models/goes_on.sql": f"{TABLE} -- depends_on: {{{{ ref('fails') }}}}\nselect 1 as id",
    "tests/pointed.sql": "-- depends_on: {{ ref('orders') }}\n"
    f"select * from {POINTER} where id <> {{{{ var('id', 2) }}}}",
    "tests/with_header.sql": f"{{{{ config(sql_header='{HEADER}') }}}} {OF_HEADER};",
    "tests/stored.sql": "{{ config(store_failures=true) }}"
    f"{{% call set_sql_header(config) %}}{HEADER}{{% endcall %}} {OF_HEADER}",
    "seeds/codes.csv": "code,n\na,1\n",
    "functions/twice.yml": json.dumps({"functions": [OVERLOADED]}),
    "functions/twice.sql": "n * 2",
    "functions/twice_text.sql": "s || s",
}


def test_what_dbt_core_1_12_added(project: Project) -> None:
    """A pointer shows the latest version, also in a preview; and an overload is refused.

    A child of a model with ``on_error: continue`` is built, and an empty seed has no rows.
    """
    project.write(FILES)
    run = project.dbt("build", "--empty")
    failed = {name for name, found in run.results.items() if found["status"] == "error"}
    assert failed == {"twice", "fails"}, run.log
    assert run.results["goes_on"]["status"] == "success"
    assert "[NOT_SUPPORTED] a function can't have overloads" in run.message("twice")
    assert project.rows("select * from {schema}.codes") == []

    run = project.dbt("build", "--select", "orders")
    assert run.success, run.log
    assert [row.id for row in project.rows("select id from {schema}.orders")] == [2]
    views = project.rows("show views in {schema}")
    assert [view.viewName for view in views if not view.isTemporary] == ["orders"]

    run = project.dbt("build", "--select", "orders", ctas_preview=True, id=5)
    assert run.success, run.log
    assert run.results["pointed"]["status"] == "pass"
    assert [row.id for row in project.rows("select id from {schema}.orders")] == [2]

    run = project.dbt("run-operation", "--sql", "create schema {{ target.schema }}_by_sql")
    assert run.success, run.log
    assert project.rows("show tables in {schema}_by_sql") == []
