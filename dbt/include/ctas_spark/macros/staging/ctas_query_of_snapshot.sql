{#- What a snapshot's table of files is to hold; `existing` is none if there is no table yet. -#}
{% macro ctas_query_of_snapshot(existing) %}
  {%- set of = strategy_dispatch(config.get('strategy')) -%}
  {%- set exists = existing is not none -%}
  {%- set strategy = of(model, 'snapshotted_data', 'source_data', model['config'], exists) -%}
  {%- if not exists -%}
    {{ return(build_snapshot_table(strategy, compiled_code)) }}
  {%- endif -%}
  {%- set columns = config.get('snapshot_table_column_names') or get_snapshot_table_column_names() -%}
  {%- do adapter.assert_valid_snapshot_target_given_strategy(existing, columns, strategy) -%}
  {%- set changes = spark_build_snapshot_staging_table(strategy, compiled_code, existing) -%}
  {{ return(adapter.snapshot_query(existing, changes, columns)) }}
{% endmacro %}
