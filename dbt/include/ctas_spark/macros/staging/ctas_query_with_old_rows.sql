{#- What an incremental model's table of files is to hold: rows of its own, and the new ones. A contract
    is the query's, as in the first build: united with the old rows, its columns have their names. -#}
{% macro ctas_query_with_old_rows(existing) %}
  {%- set rows = ctas_view_of_model() -%}
  {%- if config.get('contract').enforced -%}
    {%- do get_assert_columns_equivalent('select * from ' ~ rows) -%}
  {%- endif -%}
  {{ return(adapter.incremental.query_with_old_rows(existing, rows)) }}
{% endmacro %}
