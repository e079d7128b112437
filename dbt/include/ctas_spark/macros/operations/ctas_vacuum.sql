{#- dbt run-operation ctas_vacuum --args '{model: orders, older_than: 3600, dry_run: true}'
    Without model and schema: every model of the project. -#}
{% macro ctas_vacuum() %}
  {%- do print(adapter.run_operations.text('ctas_vacuum', graph, kwargs)) -%}
  {%- do adapter.run_operations.require_all('ctas_vacuum') -%}
{% endmacro %}
