"""A project with the same names in two databases: the session catalog and Iceberg's ``ice``."""

import json

# here is the session catalog, there is ``ice``
PLACES = ("here", "there")
DESCRIPTION = "it's \\ described"

# <database> says the place to dbt, and nothing where it is the default.
ORDERS = """
{{ config(materialized='incremental', alias='orders' <database>,
          post_hook="insert into {{ this }} values ('<place> hook', {{ var('n') }})") }}
select '<place>' as place, {{ var('n') }} as n
{% if is_incremental() %} where {{ var('n') }} > (select max(n) from {{ this }}) {% endif %}
"""
SEEN = """
{{ config(materialized='view', alias='seen' <database>) }}
select place from {{ source('<place>', 'events') }}
"""
KEPT = """
{% snapshot <place>_kept %}
{{ config(database='ice', alias='kept', schema='<place>', strategy='check', unique_key='place',
          check_cols=['n'], file_format='iceberg') }}
select '<place>' as place, {{ var('n') }} as n
{% endsnapshot %}
"""
ACROSS = """
{{ config(materialized='table') }}
select 'here' as found_in, place from {{ ref('here_seen') }}
union all select 'there', place from {{ ref('there_seen') }}
union all select 'here', place from {{ ref('here_codes') }}
union all select 'there', place from {{ ref('there_codes') }}
"""
STORED = """
{{ config(store_failures=true, database='ice', alias='twos', severity='warn') }}
select * from {{ ref('there_codes') }} where code = 2
"""
PUBLISHED = """
{{ config(materialized='table', database='ice', contract={'enforced': true},
          persist_docs={'columns': true}) }}
select {{ var('n') }} as n
"""

DEEP = """
{{ config(materialized='table', database='ice', schema='eu.sales') }}
select {{ var('n') }} as n, adapter_knows from (
  select {{ adapter.check_schema_exists('ice', 'shop_eu.sales') }} as adapter_knows
)
"""
DEEP_SEEN = """
{{ config(materialized='view', database='ice', schema='eu.sales') }}
select n, adapter_knows from {{ ref('deep') }}
"""

CHANGES = """
{% macro change_relations() %}
  {% for database in ('spark_catalog', 'ice') %}
    {% do adapter.create_schema(api.Relation.create(database=database, schema='changed')) %}
    {% do run_query('create table ' ~ database ~ '.changed.a using ' ~
                    {'ice': 'iceberg'}.get(database, 'parquet') ~ ' as select 1 as id') %}
    {% do run_query('create view ' ~ database ~ '.changed.v as select 1 as id') %}
  {% endfor %}
  {% do tell('a is iceberg', adapter.get_relation(none, 'changed', 'a').is_iceberg,
             adapter.get_relation('ice', 'changed', 'a').is_iceberg) %}
  {% for name, new in (('a', 'b'), ('v', 'w')) %}
    {% set found = adapter.get_relation('ice', 'changed', name) %}
    {% do adapter.rename_relation(found, found.incorporate(path={'identifier': new})) %}
  {% endfor %}
  {% do tell('after renames', listed('spark_catalog'), listed('ice')) %}
  {% do adapter.truncate_relation(api.Relation.create('ice', 'changed', 'b')) %}
  {% do tell('rows', [rows('changed.a'), rows('changed.v')],
             [rows('ice.changed.b'), rows('ice.changed.w')]) %}
  {% do adapter.drop_relation(adapter.get_relation('ice', 'changed', 'w')) %}
  {% do tell('after a drop', listed('spark_catalog'), listed('ice')) %}
  {% do adapter.drop_schema(api.Relation.create(database='ice', schema='changed')) %}
  {% do tell('schema exists', adapter.check_schema_exists(none, 'changed'),
             adapter.check_schema_exists('ice', 'changed')) %}
  {% do tell('after the schema', listed('spark_catalog'), listed('ice')) %}
{% endmacro %}

{% macro move_between_databases() %}
  {% set a = adapter.get_relation('spark_catalog', 'changed', 'a') %}
  {% do adapter.rename_relation(a, a.incorporate(path={'database': 'ice'})) %}
{% endmacro %}

{% macro listed(database) %}
  {% set names = [] %}
  {% for name in ('a', 'b', 'v', 'w') %}
    {% set found = adapter.get_relation(database, 'changed', name) %}
    {% if found %}{% do names.append(found.type ~ ' ' ~ found) %}{% endif %}
  {% endfor %}
  {{ return(names) }}
{% endmacro %}

{% macro rows(table) %}
  {{ return(run_query('select count(*) as n from ' ~ table).columns[0][0] | int) }}
{% endmacro %}

{% macro tell(what, here, there) %}
  {% do log('TOLD ' ~ tojson([what, here, there]), info=true) %}
{% endmacro %}
"""

# As a project may have it that comes from dbt-spark: one node has no database at all.
NAMES = """
{% macro generate_database_name(custom_database_name=none, node=none) %}
  {% if node.name == 'across' %}{{ return(none) }}{% endif %}
  {{ return(ctas_spark__generate_database_name(custom_database_name, node)) }}
{% endmacro %}
"""


def files() -> dict[str, str]:
    """The project; what is named after a place has an alias that both places share."""
    return {
        "dbt_project.yml": json.dumps(PROJECT),
        "macros/changes.sql": CHANGES,
        "macros/names.sql": NAMES,
        "models/all.yml": json.dumps({"sources": SOURCES, "models": MODELS}),
        "models/across.sql": ACROSS,
        "models/deep.sql": DEEP,
        "models/deep_seen.sql": DEEP_SEEN,
        "models/published.sql": PUBLISHED,
        "seeds/all.yml": json.dumps({"seeds": SEEDS}),
        "seeds/here_codes.csv": "place,code\nhere,1\n",
        "seeds/there_codes.csv": "place,code\nthere,1\nthere,2\n",
        "tests/there_is_no_two.sql": STORED,
        **{f"models/{place}_orders.sql": _at(place, ORDERS) for place in PLACES},
        **{f"models/{place}_seen.sql": _at(place, SEEN) for place in PLACES},
        **{f"snapshots/{place}_kept.sql": _at(place, KEPT) for place in PLACES},
    }


def _at(place: str, text: str) -> str:
    database = ", database='ice'" if place == "there" else ""
    return text.replace("<place>", place).replace("<database>", database)


PROJECT = {
    "name": "tested",
    "version": "1.0.0",
    "profile": "tested",
    "on-run-start": [
        "create schema if not exists raw",
        "create schema if not exists ice.raw",
        "create table if not exists raw.events using parquet as select 'here' as place",
        "create table if not exists ice.raw.events as select 'there' as place",
    ],
    "seeds": {
        "tested": {
            "+alias": "codes",
            "+persist_docs": {"columns": True},
            "there_codes": {"+database": "ice"},
        }
    },
}
SOURCES = [
    {"name": "here", "schema": "raw", "tables": [{"name": "events"}]},
    {"name": "there", "database": "ice", "schema": "raw", "tables": [{"name": "events"}]},
]
SEEDS = [
    {"name": "there_codes", "columns": [{"name": "code", "description": DESCRIPTION}]},
]
MODELS = [
    {
        "name": f"{place}_orders",
        "columns": [
            {
                "name": "place",
                "data_tests": [
                    {"accepted_values": {"arguments": {"values": [place, f"{place} hook"]}}}
                ],
            }
        ],
    }
    for place in PLACES
] + [
    {
        "name": "published",
        "columns": [
            {
                "name": "n",
                "data_type": "int",
                "description": DESCRIPTION,
                "constraints": [{"type": "not_null"}],
            }
        ],
    }
]
