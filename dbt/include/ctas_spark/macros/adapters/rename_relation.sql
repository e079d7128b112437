{#- Outside the session catalog Spark wants a table's new name without its catalog, and a view's
    with it. -#}
{% macro ctas_spark__rename_relation(from_relation, to_relation) %}
  {%- set new = to_relation.include(database=(not from_relation.is_table)) -%}
  {{ return(spark__rename_relation(from_relation, new)) }}
{% endmacro %}
