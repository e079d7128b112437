{#- A database is a Spark catalog, and so is a catalog of catalogs.yml; dbt-spark has neither. -#}
{% macro ctas_spark__generate_database_name(custom_database_name=none, node=none) %}
  {%- set named = adapter.named_catalog(node) or custom_database_name -%}
  {{ return((named or target.database) | trim) }}
{% endmacro %}
