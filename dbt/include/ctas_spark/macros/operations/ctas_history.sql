{#- dbt run-operation ctas_history --args '{model: orders}' -#}
{% macro ctas_history(model, json=false) %}
  {%- do print(adapter.history_text(graph, model, json)) -%}
{% endmacro %}
