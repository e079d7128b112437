{#- Without the header, which has run by itself: Spark takes one statement at a time. -#}
{% macro ctas_spark__get_empty_subquery_sql(select_sql, select_sql_header=none) %}
  {{ return(default__get_empty_subquery_sql(adapter.bare(select_sql))) }}
{% endmacro %}
