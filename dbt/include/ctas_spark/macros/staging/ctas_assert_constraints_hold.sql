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

{% macro ctas_has_constraints() %}
  {{ return(config.get('contract').enforced and adapter.publication.constraint_checks_sql(model, '') is not none) }}
{% endmacro %}

{#- For a query that is checked before its rows are written. -#}
{% macro ctas_query_computed_once(query) %}
  {%- set rows = make_temp_relation(this, '__rows__dbt_tmp').incorporate(type='view') -%}
  {%- call statement('ctas_rows') -%}{{ create_temporary_view(rows, query) }}{%- endcall -%}
  {%- do adapter.rows.compute_once(rows) -%}
  {{ return('select * from ' ~ rows) }}
{% endmacro %}
