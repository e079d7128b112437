"""A project with a node of every kind, in the two states between which a preview is taken."""

from collections.abc import Mapping

CONFIG = "{{{{ config({}) }}}} "
NUMBERS = "select id, id * 10 as amount from range({{ var('rows', 3) }})"
GROWN = "materialized='incremental', incremental_strategy='{}', unique_key='id'"
HOOKS = (
    "pre_hook=['insert into {{ target.schema }}.codes values (9, \"nine\")', "
    "'set spark.sql.ansi.enabled = true']"
)
PYTHON = """
def model(dbt, session):
    dbt.config(materialized='table')
    return dbt.ref('orders').join(dbt.source('here', 'orders'), 'id').select('id')
"""
YML = """
sources:
  - name: here
    schema: "{{ target.schema }}"
    tables: [{name: orders}]
models:
  - name: orders
    columns:
      - name: id
        data_tests: [unique, not_null]
  - name: checked
    config: {contract: {enforced: true}}
    columns:
      - {name: id, data_type: bigint, constraints: [{type: not_null}]}
unit_tests:
  - name: doubles
    model: totals
    given:
      - {input: ref('orders'), rows: [{id: 1, amount: 5}]}
      - {input: ref('codes'), rows: [{code: 1, name: one}]}
    expect: {rows: [{id: 1, name: one, twice: 10}]}
"""
SNAPSHOT = (
    "{% snapshot history %}{{ config(unique_key='id', strategy='check', check_cols=['amount']) }} "
    "select * from {{ ref('orders') }} {% endsnapshot %}"
)
TOTALS = (
    "select orders.id, codes.name, orders.amount * 2 as twice from {{ ref('orders') }} as orders "
    "join {{ ref('codes') }} as codes on codes.code = orders.id"
)
NEW = "{% if is_incremental() %} where id >= (select max(id) from {{ this }}) {% endif %}"
COUNTED = "select count(*) as n from {{{{ ref('{}') }}}} having count(*) <> {{{{ var('{}') }}}}"
BUILT: Mapping[str, str] = {
    "dbt_project.yml": (
        "{name: tested, version: '1.0.0', profile: tested, on-run-start: "
        "['create table if not exists {{ target.schema }}.audit (id int) using parquet']}"
    ),
    "seeds/codes.csv": "code,name\n1,one\n2,two\n",
    "models/schema.yml": YML,
    "models/orders.sql": NUMBERS,
    "models/passing.sql": CONFIG.format("materialized='ephemeral'")
    + "select * from {{ ref('orders') }}",
    "models/totals.sql": CONFIG.format(f"materialized='table', {HOOKS}") + TOTALS,
    "models/viewed.sql": "select id from {{ ref('totals') }}",
    "models/checked.sql": CONFIG.format("materialized='table'")
    + "select id from {{ ref('passing') }}",
    "models/made.py": PYTHON,
    "models/appended.sql": CONFIG.format(GROWN.format("append"))
    + "select * from {{ ref('orders') }} "
    + NEW,
    "models/merged.sql": CONFIG.format(GROWN.format("merge")) + "select * from {{ ref('orders') }}",
    "models/by_part.sql": CONFIG.format(
        "materialized='incremental', incremental_strategy='insert_overwrite', partition_by='id'"
    )
    + "select amount, id from {{ ref('orders') }} where id > 0",
    "snapshots/history.sql": SNAPSHOT,
    "tests/count_appended.sql": COUNTED.format("appended", "appended"),
    "tests/count_merged.sql": COUNTED.format("merged", "merged"),
    "tests/count_by_part.sql": COUNTED.format("by_part", "by_part"),
    "tests/count_history.sql": COUNTED.format("history", "history"),
}
BUILT_COUNTS = {"rows": 3, "appended": 3, "merged": 3, "by_part": 2, "history": 3}
CHANGED: Mapping[str, str] = {
    **BUILT,
    "models/totals.sql": CONFIG.format(f"materialized='table', {HOOKS}")
    + TOTALS.replace("codes.name", "codes.name, cast(codes.code as string) as code").replace(
        "orders.amount * 2 as twice", "cast(orders.amount * 2 as string) as twice"
    ),
    "models/added.sql": CONFIG.format("materialized='table'") + "select 1 as n",
}
"""``totals`` has a column more and one of another type, and there is a new model."""
