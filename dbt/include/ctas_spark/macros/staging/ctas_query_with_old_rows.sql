{#- What an incremental model's table of files is to hold: rows of its own, and the new ones.
    REFRESH, because Spark's cache may hold a version older than the one that this one replaces. -#}
{% macro ctas_query_with_old_rows(existing) %}
  {%- call statement('refresh') -%} refresh table {{ existing }} {%- endcall -%}
  {%- set rows = ctas_view_of_model() -%}
  {{ return(adapter.increment_query(existing, rows)) }}
{% endmacro %}
