{#- dbt run-operation ctas_recover --args '{schema: shop}'
    Without model and schema: every model of the project. -#}
{% macro ctas_recover() %}
  {%- do print(adapter.operation_text('ctas_recover', graph, kwargs)) -%}
{% endmacro %}
