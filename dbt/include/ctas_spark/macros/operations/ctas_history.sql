{#- dbt run-operation ctas_history --args '{model: orders}' -#}
{% macro ctas_history(model, json=false) %}
  {%- do print(adapter.operation_text('ctas_history', graph, {'model': model, 'json': json})) -%}
{% endmacro %}
