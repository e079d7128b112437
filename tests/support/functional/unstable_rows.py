"""Incremental models and snapshots of queries whose rows differ from scan to scan."""

from functional.dbt_project import Project

SOME = (
    "select id, 'new' as v, id as p, timestamp'2026-01-01 12:00:00' as at, "
    "date'2026-01-01' as day from range(20)"
)
STRATEGIES = {
    "merged": "incremental_strategy='merge', unique_key='id'",
    "merged_on_read": "incremental_strategy='merge', unique_key='id', "
    "tblproperties={'write.merge.mode': 'merge-on-read'}",
    "overwritten": "incremental_strategy='insert_overwrite', partition_by='p'",
}
BATCHED = (
    "incremental_strategy='microbatch', event_time='at', batch_size='day', begin='2026-01-01', "
    "partition_by="
)
SNAPSHOT = "{name: %s, relation: ref('rows'), config: {unique_key: id, %s, %s%s}}"
KEPT = {
    "checked": ("hard_deletes: new_record", "strategy: check, check_cols: [v-1]"),
    "timed": ("hard_deletes: invalidate", "strategy: timestamp, updated_at: at"),
}
ROWS = (
    "{{ config(materialized='view') }} select id, {{ var('n') }} as `v-1`, "
    "timestamp'2026-01-0{{ var('n') }}' as at from range(20) where rand() < 0.5"
)
CURRENT = "select id from {schema}.%s where dbt_valid_to is null group by id having count(*) > 1"
DAY = "--event-time-start=2026-01-01", "--event-time-end=2026-01-02"


def build_and_check(project: Project, file_format: str, batched_by: str) -> None:
    """No key is lost or doubled, and no record has two successors."""
    configs = {**STRATEGIES, "batched": f"{BATCHED}{batched_by}"}
    models = {
        f"models/{name}.sql": f"{{{{ config(materialized='incremental', {config}, "
        f"file_format='{file_format}') }}}} {SOME} "
        "{% if is_incremental() %} where rand() < 0.5 {% endif %}".replace(
            "'new'", "'{{ var(\"n\") }}'"
        )
        for name, config in configs.items()
    }
    of_format = f", file_format: {file_format}"
    listed = ", ".join(SNAPSHOT % (name, *how, of_format) for name, how in KEPT.items())
    project.write(
        {**models, "models/rows.sql": ROWS, "snapshots/kept.yml": f"snapshots: [{listed}]"}
    )
    for n in (1, 2):
        run = project.dbt("build", *DAY, n=n)
        assert run.success, run.log
        for name in KEPT:
            assert project.rows(CURRENT % name) == [], (n, name)
    for name in configs:
        ((rows, keys),) = project.rows(
            f"select count(*), count(distinct id) from {{schema}}.{name}"
        )
        assert rows == keys, name
        assert name == "batched" or rows == 20, name
