{#- In the place of dbt-spark's: its view lies in Spark's current schema, where the snapshots of all
    schemas and databases meet, and stays there after a failure. -#}
{% macro spark_build_snapshot_staging_table(strategy, sql, target_relation) %}
  {%- set staged = make_temp_relation(target_relation).incorporate(type='view') -%}
  {%- set query = snapshot_staging_table(strategy, sql, target_relation) -%}
  {%- call statement('build_snapshot_staging_relation') -%}
    {{ create_temporary_view(staged, query) }}
  {%- endcall -%}
  {{ return(staged) }}
{% endmacro %}
