{#- Level none: the published version is empty until this INSERT has filled it. -#}
{% macro ctas_fill_in_place(query) %}
  {%- set enforced = config.get('contract').enforced -%}
  {%- set query = get_select_subquery(query) if enforced else query -%}
  {%- set sql = adapter.publication.fill_statement(query) -%}
  {%- if sql is not none -%}
    {%- do ctas_run_main(sql) -%}
    {%- if enforced -%}{%- do ctas_assert_constraints_hold(this) -%}{%- endif -%}
  {%- endif -%}
{% endmacro %}
