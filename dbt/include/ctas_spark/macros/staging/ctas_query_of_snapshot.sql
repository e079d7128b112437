{#- What a snapshot's table of files is to hold; `existing` is none if there is no table yet. -#}
{% macro ctas_query_of_snapshot(existing) %}
  {%- set of = strategy_dispatch(config.get('strategy')) -%}
  {%- set exists = existing is not none -%}
  {%- set strategy = of(model, 'snapshotted_data', 'source_data', model['config'], exists) -%}
  {%- if not exists -%}
    {{ return(build_snapshot_table(strategy, adapter.bare(compiled_code))) }}
  {%- endif -%}
  {{ return(ctas_changes_of_snapshot(strategy, compiled_code, existing).records()) }}
{% endmacro %}

{#- What a view of the snapshot's rows does to the records; the caller selects of it what it needs. -#}
{% macro ctas_changes_of_snapshot(strategy, sql, existing) %}
  {%- set names = config.get('snapshot_table_column_names') or get_snapshot_table_column_names() -%}
  {%- do adapter.assert_valid_snapshot_target_given_strategy(existing, names, strategy) -%}
  {%- set rows = make_temp_relation(existing, '__rows__dbt_tmp').incorporate(type='view') -%}
  {%- call statement('ctas_view_of_snapshot') -%}{{ create_temporary_view(rows, adapter.bare(sql)) }}{%- endcall -%}
  {%- set now, scd_id = snapshot_get_time(), '.' ~ adapter.quote(names.dbt_scd_id) -%}
  {{ return(adapter.snapshots.changes(existing, rows, names, strategy, {
    'now': now,
    'deleted_id': snapshot_hash_arguments(['o' ~ scd_id, now]),
    'returned_id': snapshot_hash_arguments(['s' ~ scd_id, now]),
  })) }}
{% endmacro %}
