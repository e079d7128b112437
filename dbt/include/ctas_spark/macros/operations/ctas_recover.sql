{#- dbt run-operation ctas_recover --args '{schema: shop}'
    Without model and schema: every model of the project. -#}
{% macro ctas_recover() %}
  {%- do print(adapter.run_operations.text('ctas_recover', graph, kwargs)) -%}
  {%- do adapter.run_operations.require_all('ctas_recover') -%}
{% endmacro %}
