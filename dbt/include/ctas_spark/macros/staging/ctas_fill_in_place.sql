{#- Level none: the published version is empty until this INSERT has filled it. -#}
{% macro ctas_fill_in_place(query) %}
  {%- set query = get_select_subquery(query) if config.get('contract').enforced else query -%}
  {%- set sql = adapter.publication.fill_statement(query) -%}
  {%- if sql is not none -%}
    {%- do ctas_run_main(sql) -%}
  {%- endif -%}
{% endmacro %}
