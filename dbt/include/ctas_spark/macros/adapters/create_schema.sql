{#- Quoted, so that Spark refuses a name that it can't hold, and does not misread it. -#}
{% macro ctas_spark__create_schema(relation) %}
  {%- call statement('create_schema') -%}
    create schema if not exists {{ relation.quote(database=true, schema=true) }}
  {%- endcall -%}
{% endmacro %}
