{% macro stage_table() %}
  {%- set query = compiled_code -%}
  {%- if config.get('contract').enforced -%}
    {%- do get_assert_columns_equivalent(query) -%}
    {%- set query = get_select_subquery(query) -%}
  {%- endif -%}
  {%- call statement('main') -%}
    {{ adapter.staged_table_sql(query) }}
  {%- endcall -%}
{% endmacro %}
