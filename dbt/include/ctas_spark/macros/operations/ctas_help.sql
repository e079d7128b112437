{#- dbt run-operation ctas_help -#}
{% macro ctas_help() %}
  {%- do print("""
dbt run-operation OPERATION --args '{ARGUMENT: VALUE, ...}'

| operation            | argument     | value             | meaning                                                          |
| -------------------- | ------------ | ----------------- | ---------------------------------------------------------------- |
| ctas_history         |              |                   | lists the publications of a model, or the last 40 of all models  |
|                      | model        | name of a model   | only of this model                                               |
|                      | schema       | name of a schema  | only of tables in this schema                                    |
| ctas_rollback        |              |                   | publishes an earlier version of a model again                    |
|                      | model        | name of a model   | must be given                                                    |
|                      | version      | id of a version   | this version; by default, the one before the live version        |
| ctas_vacuum          |              |                   | deletes versions that nobody needs, and says why it keeps others |
|                      | model        | name of a model   | only of this model                                               |
|                      | schema       | name of a schema  | only of tables in this schema                                    |
|                      | older_than   | number of seconds | replaces the grace period and the age of unpublished versions    |
|                      | dry_run      | true or false     | says what would be deleted, and changes nothing                  |
|                      | fence        | true or false     | deletes old versions even if a paused writer could publish them  |
|                      | metastore    | same or clone     | whether a metastore at a new address has moved or is a copy      |
| ctas_recover         |              |                   | finishes what a crash left half done                             |
|                      | model        | name of a model   | only of this model                                               |
|                      | schema       | name of a schema  | only of tables in this schema                                    |
| the four above       | json         | true or false     | prints the rows as JSON                                          |
| ctas_archive_classes |              |                   | makes an archive with which Spark starts faster, about 200 MB    |
|                      | remove       | true or false     | removes all of them; from then on, none is made automatically    |
| ctas_warm_spark      |              |                   | starts a Spark that later runs in this directory use             |
|                      | stop         | true or false     | ends it, once the runs that use it have ended                    |
|                      | idle_minutes | number of minutes | ends it when no run has used it for so long; 30 by default       |

dbt run-operation ctas_history
dbt run-operation ctas_rollback --args '{model: orders, version: 20260101t120000x0a1b2c3d}'
dbt run-operation ctas_vacuum --args '{model: orders, older_than: 3600, dry_run: true}'
dbt run-operation ctas_recover --args '{schema: shop}'
dbt run-operation ctas_archive_classes
dbt run-operation ctas_warm_spark
""".strip()) -%}
{% endmacro %}
