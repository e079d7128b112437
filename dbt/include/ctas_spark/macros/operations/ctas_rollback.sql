{#- dbt run-operation ctas_rollback --args '{model: orders}', or with version: the id of one -#}
{% macro ctas_rollback(model, version=none, json=false) %}
  {%- set arguments = {'model': model, 'version': version, 'json': json} -%}
  {%- do print(adapter.operation_text('ctas_rollback', graph, arguments)) -%}
{% endmacro %}
