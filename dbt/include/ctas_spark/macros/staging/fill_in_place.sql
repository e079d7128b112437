{#- Level none: the published version is empty until this INSERT has filled it. -#}
{% macro fill_in_place(query) %}
  {%- set enforced = config.get('contract').enforced -%}
  {%- set query = get_select_subquery(query) if enforced else query -%}
  {%- set sql = adapter.fill_in_place_sql(query) -%}
  {%- if sql is not none -%}
    {%- do run_main(sql) -%}
    {%- if enforced -%}{%- do assert_constraints_hold(this) -%}{%- endif -%}
  {%- endif -%}
{% endmacro %}
