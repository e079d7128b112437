{#- What the node's table would hold after a build. -#}
{% macro ctas_query_of_preview(existing, is_added_to) %}
  {%- if model.resource_type == 'seed' -%}
    {%- set rows = load_agate_table() -%}
    {%- do store_result('agate_table', response='OK', agate_table=rows) -%}
    {{ return(adapter.seed_query(rows, config)) }}
  {%- elif model.resource_type == 'snapshot' -%}
    {{ return(ctas_query_of_snapshot(existing)) }}
  {%- elif not is_added_to -%}
    {{ return(ctas_query_of_model()) }}
  {%- endif -%}
  {%- set rows = ctas_view_of_model() -%}
  {%- if existing is not none and config.get('on_schema_change') == 'fail' -%}
    {%- do process_schema_changes('fail', rows, existing) -%}
  {%- endif -%}
  {{ return(adapter.previews.increment(this, rows)) }}
{% endmacro %}
