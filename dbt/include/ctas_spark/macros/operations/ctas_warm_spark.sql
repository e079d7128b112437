{#- dbt run-operation ctas_warm_spark
    With --args '{stop: true}': ends it. -#}
{% macro ctas_warm_spark() %}
  {%- do print(adapter.run_operations.warm_spark(kwargs)) -%}
{% endmacro %}
