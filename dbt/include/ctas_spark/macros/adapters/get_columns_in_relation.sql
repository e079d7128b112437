{#- dbt-spark's returns the rows of DESCRIBE, where dbt's snapshots expect columns. -#}
{% macro ctas_spark__get_columns_in_relation(relation) %}
  {{ return(adapter.get_columns_in_relation(relation)) }}
{% endmacro %}
