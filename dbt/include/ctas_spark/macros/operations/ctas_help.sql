{#- dbt run-operation ctas_help -#}
{% macro ctas_help() %}
  {%- do print("""
dbt run-operation OPERATION --args '{ARGUMENT: VALUE, ...}'

| operation            | argument             | meaning                                            |
| -------------------- | -------------------- | -------------------------------------------------- |
| ctas_history         |                      | the publications of a model, or the last 40 of all |
|                      | model: NAME          | only of this model                                 |
|                      | schema: NAME         | only of tables in this schema                      |
| ctas_rollback        |                      | publishes an earlier version of a model again      |
|                      | model: NAME          | must be given                                      |
|                      | version: ID          | this one; by default, the one before the live one  |
| ctas_vacuum          |                      | deletes unneeded versions; says why others stay    |
|                      | model: NAME          | only of this model                                 |
|                      | schema: NAME         | only of tables in this schema                      |
|                      | older_than: SECONDS  | replaces the grace period, and the age at which    |
|                      |                      | unpublished versions are deleted                   |
|                      | dry_run: true        | only says what would be deleted                    |
|                      | fence: true          | also what a paused writer could still publish      |
|                      | metastore: same      | the metastore at a new address is the old one      |
|                      | metastore: clone     | the metastore at a new address is a copy           |
| ctas_recover         |                      | finishes what a crash left half done               |
|                      | model: NAME          | only of this model                                 |
|                      | schema: NAME         | only of tables in this schema                      |
| the four above       | json: true           | prints the rows as JSON                            |
| ctas_archive_classes |                      | makes an archive with which Spark starts faster    |
|                      | remove: true         | removes all, and makes none automatically          |
| ctas_warm_spark      |                      | starts a Spark that later runs here use            |
|                      | stop: true           | ends it, once the runs that use it have ended      |
|                      | idle_minutes: NUMBER | ends it after so long without a run; 30 by default |

dbt run-operation ctas_history
dbt run-operation ctas_rollback --args '{model: orders, version: 20260101t120000x0a1b2c3d}'
dbt run-operation ctas_vacuum --args '{model: orders, older_than: 3600, dry_run: true}'
dbt run-operation ctas_recover --args '{schema: shop}'
dbt run-operation ctas_archive_classes
dbt run-operation ctas_warm_spark
""".strip()) -%}
{% endmacro %}
