"""A project of incremental models, one for each strategy of dbt-spark's, and a snapshot.

Its runs say ``n``: 1, 2, and 3 for a full refresh.
"""

FAILS = "{% if var('fails', false) %} where raise_error('no') is null {% endif %}"
GROWN = "{{ config(materialized='incremental' <config>) }} select {{ var('n') }} as n"
MERGED = """
{{ config(materialized='incremental', file_format='<format>', incremental_strategy='merge',
          unique_key='id') }}
select id, {{ var('n') }} as n from range({{ var('n') }} - 1, {{ var('n') }} + 1)
"""
OVERWRITTEN = """
{{ config(materialized='incremental', file_format='<format>', partition_by='day',
          incremental_strategy='insert_overwrite') }}
select {{ var('n') }} as n, concat('day ', id) as day
from range({{ var('n') }} - 1, {{ var('n') }} + 1)
"""
KEPT = """
{% snapshot kept %}
{{ config(strategy='check', unique_key='id', check_cols=['n'], file_format='<format>') }}
select 1 as id, {{ var('n') }} as n
{% endsnapshot %}
"""

COLUMNS = {
    "grown": "n",
    "merged": "id, n",
    "overwritten": "n, day",
    "kept": "n, dbt_valid_to is null",
}
TWICE = {
    "grown": [(1,), (2,)],
    "merged": [(0, 1), (1, 2), (2, 2)],
    "overwritten": [(1, "day 0"), (2, "day 1"), (2, "day 2")],
    "kept": [(1, False), (2, True)],
}
REFRESHED = {
    "grown": [(3,)],
    "merged": [(2, 3), (3, 3)],
    "overwritten": [(3, "day 2"), (3, "day 3")],
    "kept": TWICE["kept"],
}


def files(grown_config: str) -> dict[str, str]:
    """The project; ``grown_config`` says where ``grown`` lies, and in which format."""
    return {
        "models/grown.sql": GROWN.replace("<config>", grown_config) + FAILS,
        "models/merged.sql": MERGED + FAILS,
        "models/overwritten.sql": OVERWRITTEN + FAILS,
        "snapshots/kept.sql": KEPT,
    }
