{#- Quoted: a name that Spark can't hold is then refused by Spark's own words, and not misread. -#}
{% macro ctas_spark__create_schema(relation) %}
  {%- call statement('create_schema') -%}
    create schema if not exists {{ relation.quote(database=true, schema=true) }}
  {%- endcall -%}
{% endmacro %}
