{#- dbt run-operation ctas_history --args '{model: orders}'
    Without model and schema: the last publications of the project. -#}
{% macro ctas_history() %}
  {%- do print(adapter.run_operations.text('ctas_history', graph, kwargs)) -%}
  {%- do adapter.run_operations.require_all('ctas_history') -%}
{% endmacro %}
