{#- dbt run-operation ctas_rollback --args '{model: orders}', or with version: the id of one -#}
{% macro ctas_rollback(model, version=none, json=false) %}
  {%- do print(adapter.rollback_text(graph, model, version, json)) -%}
{% endmacro %}
