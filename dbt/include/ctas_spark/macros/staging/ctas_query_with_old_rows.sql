{#- What an incremental model's table of files is to hold: rows of its own, and the new ones. -#}
{% macro ctas_query_with_old_rows(existing) %}
  {%- set rows = ctas_view_of_model() -%}
  {{ return(adapter.increment_query(existing, rows)) }}
{% endmacro %}
