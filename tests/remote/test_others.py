"""What dbt-spark makes itself, on a server."""

from remote.place import MOSTLY_CONNECT, Place

SEED = "id,name\n1,a\n2,b\n"
VIEW = "{{ config(materialized='view') }} select * from {{ ref('seeded') }}"
GROWN = """
{{ config(materialized='incremental', incremental_strategy='merge', unique_key='id',
          file_format='iceberg', tblproperties={'write.merge.mode':
            'copy-on-write' if target.method == 'connect' else 'merge-on-read'}) }}
select id, {{ var('n') }} as n from range({{ var('n') }} - 1, {{ var('n') }} + 1) where rand() < 2
"""
APPENDED = """
{{ config(materialized='incremental', database='spark_catalog', file_format='delta') }}
select {{ var('n') }} as n
"""
CHECKED = """
{{ config(materialized='incremental', database='spark_catalog', on_schema_change='fail',
          contract={'enforced': true}) }}
select cast({{ var('id', 'null') }} as int) as id;
"""
BATCHED = """
{{ config(materialized='incremental', database='spark_catalog', incremental_strategy='microbatch',
          event_time='at', batch_size='day', begin='2026-01-01', partition_by='day') }}
select timestamp '2026-01-0{{ var('day', 9) }} 09:00:00' as at, 'x' as day
"""
OVERWRITTEN = """
{{ config(materialized='incremental', file_format='iceberg', partition_by=var('by') or none,
          incremental_strategy='insert_overwrite' if var('by') else 'append') }}
select id, 'x' as day from range(2)
"""
CONTRACT = """
models: [{name: checked, columns: [{name: id, data_type: int, constraints: [{type: not_null}]}]}]
"""
KEPT = """
{% snapshot kept %}
{{ config(strategy='check', unique_key='id', check_cols=['n'], file_format='iceberg') }}
select 1 as id, {{ var('n') }} as n {% if target.method == 'connect' %} where rand() < 2 {% endif %}
{% endsnapshot %}
"""
TESTED = """
models: [{name: shown, columns: [{name: id, data_tests: [unique, not_null]}]}]
"""


@MOSTLY_CONNECT
def test_seeds_views_incremental_models_snapshots_and_tests_work(place: Place) -> None:
    """As far as their tables are of a format that has what they need.

    Rows that differ from scan to scan are merged, too: over Thrift by a merge on read.
    """
    place.write(
        {
            "seeds/seeded.csv": SEED,
            "models/shown.sql": VIEW,
            "models/grown.sql": GROWN,
            "models/appended.sql": APPENDED,
            "models/tested.yml": TESTED,
            "snapshots/kept.sql": KEPT,
        }
    )
    for n in (1, 2):
        run = place.project.dbt("build", "--exclude", "ice", "dlt", n=n)
        assert run.success, run.log
    schema = place.project.schema
    assert sorted(place.rows(f"select * from ice.{schema}.shown")) == [(1, "a"), (2, "b")]
    assert sorted(place.rows(f"select * from ice.{schema}.grown")) == [(0, 1), (1, 2), (2, 2)]
    assert sorted(place.rows(f"select * from spark_catalog.{schema}.appended")) == [(1,), (2,)]
    kept = place.rows(f"select n, dbt_valid_to is null from ice.{schema}.kept")
    assert sorted(kept) == [(1, False), (2, True)]


@MOSTLY_CONNECT
def test_grants_that_the_server_lacks_are_refused(place: Place) -> None:
    """Its own parser refuses GRANT, and its extensions are Iceberg's and Delta's."""
    place.write({"models/shown.sql": VIEW.replace("view'", "view', grants={'select': ['a']}")})
    place.write({"seeds/seeded.csv": SEED})
    run = place.project.dbt("build", "--exclude", "ice", "dlt")
    assert "[NOT_SUPPORTED] grants are configured" in run.message("shown")


@MOSTLY_CONNECT
def test_what_is_not_published_is_checked_from_its_first_row_on(place: Place) -> None:
    """Tables of files without a metastore in the profile: constraints, and the rows of a batch."""
    place.write(
        {
            "models/checked.sql": CHECKED,
            "models/batched.sql": BATCHED,
            "models/tested.yml": CONTRACT,
        }
    )
    when = "--event-time-start=2026-01-01", "--event-time-end=2026-01-02"
    refused = place.project.dbt("run", "--select", "checked", "batched", *when)
    assert "[CONSTRAINT_VIOLATION]" in refused.message("checked")
    assert "microbatch: the model's query returned a row whose at is NULL or" in refused.log
    schema = f"spark_catalog.{place.project.schema}"
    assert place.rows(f"show tables in {schema}") == []
    built = place.project.dbt("run", "--select", "checked", "batched", *when, id=1, day=1)
    assert built.success, built.log
    assert place.rows(f"select id, day from {schema}.checked, {schema}.batched") == [(1, "x")]


@MOSTLY_CONNECT
def test_files_of_an_older_partitioning_are_not_doubled(place: Place) -> None:
    """All files have one, and only Iceberg's own file says that it is not the present one."""
    place.write({"models/overwritten.sql": OVERWRITTEN})
    table = f"ice.{place.project.schema}.overwritten"
    run = "run", "--select", "overwritten"
    assert place.project.dbt(*run, by="").success
    place.rows(f"alter table {table} add partition field day")
    refused = place.project.dbt(*run, by="day")
    assert "files of an older partitioning" in refused.message("overwritten")
    assert place.rows(f"select count(*) from {table}") == [(2,)]
    rewrite = "rewrite_data_files(options => map('rewrite-all', 'true')"
    place.rows(f"call ice.system.{rewrite}, table => '{place.project.schema}.overwritten')")
    again = place.project.dbt(*run, by="day")
    assert again.success, again.log
    assert place.rows(f"select count(*) from {table}") == [(2,)]
