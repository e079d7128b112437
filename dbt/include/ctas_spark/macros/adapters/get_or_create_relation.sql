{#- dbt-spark's snapshots ask with no database, and mean their own. -#}
{% macro ctas_spark__get_or_create_relation(database, schema, identifier, type) %}
  {%- set own = model.database if model else none -%}
  {{ return(default__get_or_create_relation(database or own, schema, identifier, type)) }}
{% endmacro %}
