{#- A column of a contract or of its model's query, for their comparison. dbt's compares names as texts,
    but Spark finds a column in any case. -#}
{% macro ctas_spark__format_column(column) %}
  {%- set name = column.name | lower -%}
  {{ return({'name': name, 'data_type': column.dtype, 'formatted': name ~ ' ' ~ column.dtype}) }}
{% endmacro %}
