{#- not_null and check constraints are enforced by one scan of the version. Only if rows break one,
    a second query finds a few of them. -#}
{% macro ctas_assert_constraints_hold(relation) %}
  {%- set relation = relation.quote(database=true, schema=true, identifier=true) -%}
  {%- set sql = adapter.publication.constraint_checks_sql(model, relation) -%}
  {%- if sql is not none -%}
    {%- call statement('constraints', fetch_result=true) -%}{{ sql }}{%- endcall -%}
    {%- do adapter.publication.assert_no_violations(load_result('constraints').table, model, relation) -%}
  {%- endif -%}
{% endmacro %}
