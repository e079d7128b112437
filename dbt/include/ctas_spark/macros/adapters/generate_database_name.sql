{#- A database is a Spark catalog; dbt-spark has no databases. -#}
{% macro ctas_spark__generate_database_name(custom_database_name=none, node=none) %}
  {{ return((custom_database_name or target.database) | trim) }}
{% endmacro %}
