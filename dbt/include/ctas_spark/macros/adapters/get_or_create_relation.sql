{#- dbt-spark's snapshots ask with no database, and mean their own. -#}
{% macro ctas_spark__get_or_create_relation(database, schema, identifier, type) %}
  {{ return(default__get_or_create_relation(database or model.database, schema, identifier, type)) }}
{% endmacro %}
