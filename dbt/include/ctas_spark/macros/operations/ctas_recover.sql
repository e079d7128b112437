{#- dbt run-operation ctas_recover --args '{schema: shop}'
    Without model and schema: every model of the project. -#}
{% macro ctas_recover(model=none, schema=none, json=false) %}
  {%- set arguments = {'model': model, 'schema': schema, 'json': json} -%}
  {%- do print(adapter.operation_text('ctas_recover', graph, arguments)) -%}
{% endmacro %}
