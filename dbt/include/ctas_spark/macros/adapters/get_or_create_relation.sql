{#- dbt-spark's snapshots pass no database, and mean the model's. -#}
{% macro ctas_spark__get_or_create_relation(database, schema, identifier, type) %}
  {%- set own = model.database if model else none -%}
  {{ return(default__get_or_create_relation(database or own, schema, identifier, type)) }}
{% endmacro %}
