{#- Level none: the published version is empty until this INSERT has filled it. -#}
{% macro fill_in_place() %}
  {%- set enforced = config.get('contract').enforced -%}
  {%- set query = get_select_subquery(compiled_code) if enforced else compiled_code -%}
  {%- set sql = adapter.fill_in_place_sql(query) -%}
  {%- if sql is not none -%}
    {%- call statement('main') -%}{{ sql }}{%- endcall -%}
    {%- if enforced -%}{%- do assert_constraints_hold(this) -%}{%- endif -%}
  {%- endif -%}
{% endmacro %}
