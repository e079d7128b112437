{#- Replaces dbt-spark's, whose view lies in Spark's current schema: there the snapshots of all
    schemas and databases meet, and the view stays after a failure. -#}
{% macro spark_build_snapshot_staging_table(strategy, sql, target_relation) %}
  {%- set staged = make_temp_relation(target_relation).incorporate(type='view') -%}
  {%- set query = snapshot_staging_table(strategy, sql, target_relation) -%}
  {%- call statement('build_snapshot_staging_relation') -%}
    {{ create_temporary_view(staged, query) }}
  {%- endcall -%}
  {{ return(staged) }}
{% endmacro %}
