{#- Replaces dbt-spark's, whose view lies in Spark's current schema: there the snapshots of all
    schemas and databases meet, and the view stays after a failure. Its query reads the snapshot's
    rows once; dbt's reads them for the insertions, the updates and the deletions. -#}
{% macro spark_build_snapshot_staging_table(strategy, sql, target_relation) %}
  {%- set staged = make_temp_relation(target_relation).incorporate(type='view') -%}
  {%- set query = ctas_changes_of_snapshot(strategy, sql, target_relation).changed() -%}
  {%- call statement('build_snapshot_staging_relation') -%}
    {{ create_temporary_view(staged, query) }}
  {%- endcall -%}
  {%- if target_relation.is_iceberg -%}{%- do adapter.rows.compute_once(staged) -%}{%- endif -%}
  {{ return(staged) }}
{% endmacro %}
