"""What a terminal shows of models with errors, from the first line of a run to its last."""

from pathlib import Path

from functional.dbt_project import Project
from functional.terminal import shown
from readers.session import SMALL

SAID = Path(__file__).with_name("errors_of_models.txt")
TABLE = "{{ config(materialized='table') }}\n"
LONG_CONFIG = """{{
  config(
    materialized='table',
  )
}}

"""
MODELS = {
    "models/a_orders.sql": "select 1 as id, 2 as amount",
    "models/b_column.sql": f"{LONG_CONFIG}select\n  id,\n  amuont\nfrom {{{{ ref('a_orders') }}}}",
    "models/c_table.sql": f"\n{TABLE}select *\nfrom {{{{ target.schema }}}}.custmers",
    "models/d_syntax.sql": f"{TABLE}select id\nform {{{{ ref('a_orders') }}}}\nwhere id = 1\n",
    "models/e_raises.sql": f"{TABLE}select raise_error('no such order') as n",
    "models/f_contract.sql": f"{TABLE}select 'x' as id",
    "models/g_constraint.sql": "{{ config(materialized='atomic_table') }}\n"
    "select nullif(id, 3) as id from range(5)",
    "models/h_rights.sql": "{{ config(materialized='table', location_root='/proc/rights') }}\n"
    "select 1 as n",
    "models/i_view.sql": "{{ config(materialized='view') }}\nselect\n  id + nn as n\n"
    "from {{ ref('a_orders') }}",
    "models/j_upsert.sql": "{{ config(materialized='incremental', "
    "incremental_strategy='upsert') }}\nselect 1 as n",
    "models/k_customers.sql": "{{ config(materialized='view') }} select 1 as id",
    "tests/l_customers.sql": "{{\n  config(limit=5)\n}}\nselect id\nfrom {{ ref('k_customers') }}\n"
    "where idd = 2",
    "models/contracts.yml": """models:
- name: k_customers
  columns: [{name: name, data_tests: [unique]}]
- name: f_contract
  config: {contract: {enforced: true}}
  columns: [{name: id, data_type: bigint}]
- name: g_constraint
  config: {contract: {enforced: true}}
  columns:
  - name: id
    data_type: bigint
    constraints: [{type: not_null}, {type: check, expression: id < 4, name: few}, {type: unique}]
""",
}


def test_every_error_is_in_words_of_its_own(tmp_path: Path) -> None:
    """No JSON, frame, plan, traceback or banner: only what to mend, and in which line."""
    project = Project(tmp_path, "shop", SMALL)
    project.write(MODELS)
    project.write_profile(threads=1)
    assert shown(project, "build") == SAID.read_text()
