{#- dbt run-operation ctas_history --args '{model: orders}'
    Without model and schema: the last publications of the project. -#}
{% macro ctas_history() %}
  {%- do print(adapter.operation_text('ctas_history', graph, kwargs)) -%}
{% endmacro %}
