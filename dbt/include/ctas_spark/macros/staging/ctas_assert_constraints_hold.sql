{#- not_null and check constraints are enforced by one scan of a relation, or of a query in brackets. Only
    if rows break one, a second query finds a few of them. -#}
{% macro ctas_assert_constraints_hold(rows) %}
  {%- if rows is not string -%}
    {%- set rows = rows.quote(database=true, schema=true, identifier=true).render() -%}
  {%- endif -%}
  {%- set sql = adapter.publication.constraint_checks_sql(model, rows) -%}
  {%- if sql is not none -%}
    {%- call statement('constraints', fetch_result=true) -%}{{ sql }}{%- endcall -%}
    {%- do adapter.publication.assert_no_violations(load_result('constraints').table, model, rows) -%}
  {%- endif -%}
{% endmacro %}
