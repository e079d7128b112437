{#- dbt run-operation ctas_recover --args '{schema: shop}' -#}
{% macro ctas_recover(model=none, schema=none, json=false) %}
  {%- do print(adapter.recover_text(graph, model, schema, json)) -%}
{% endmacro %}
