{#- A value, if there is one: dbt-spark's is NULL where the first row's is. -#}
{% macro ctas_spark__any_value(expression) -%}
  any_value({{ expression }}, true)
{%- endmacro %}
