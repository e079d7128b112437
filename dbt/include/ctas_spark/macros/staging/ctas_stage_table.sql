{% macro ctas_stage_table(query) %}
  {%- if config.get('contract').enforced -%}
    {%- do get_assert_columns_equivalent(query) -%}
    {%- set query = get_select_subquery(query) -%}
  {%- endif -%}
  {%- do ctas_run_main(adapter.publication.statement(query)) -%}
{% endmacro %}

{#- A seed's statement holds its rows: it is shortened in dbt's log, and not written to target/. -#}
{% macro ctas_run_main(sql) %}
  {%- if model.resource_type == 'seed' -%}
    {%- do adapter.add_query(sql, abridge_sql_log=true) -%}
  {%- else -%}
    {%- call statement('main') -%}{{ sql }}{%- endcall -%}
  {%- endif -%}
{% endmacro %}
