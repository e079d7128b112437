{#- dbt run-operation ctas_rollback --args '{model: orders}', or with version: the id of one -#}
{% macro ctas_rollback() %}
  {%- do print(adapter.run_operations.text('ctas_rollback', graph, kwargs)) -%}
{% endmacro %}
