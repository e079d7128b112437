{#- not_null and check constraints are enforced by one scan of the version. -#}
{% macro assert_constraints_hold(relation) %}
  {%- set sql = adapter.constraint_checks_sql(model, relation) -%}
  {%- if sql is not none -%}
    {%- call statement('constraints', fetch_result=true) -%}{{ sql }}{%- endcall -%}
    {%- do adapter.assert_no_violations(load_result('constraints').table) -%}
  {%- endif -%}
{% endmacro %}
