{#- What an incremental model's table of files is to hold: rows of its own, and the new ones. -#}
{% macro ctas_query_with_old_rows(existing) %}
  {%- set rows = ctas_view_of_model() -%}
  {%- if config.get('on_schema_change') == 'fail' -%}
    {%- do process_schema_changes('fail', rows, existing) -%}
  {%- endif -%}
  {{ return(adapter.increment_query(existing, rows)) }}
{% endmacro %}
