{#- Quoted, so that Spark refuses a name that it can't hold, and does not misread it. A
    preview needs none. -#}
{% macro ctas_spark__create_schema(relation) %}
  {%- for schema in relation.schemas if not adapter.is_preview() -%}
    {%- call statement('create_schema') -%}
      create schema if not exists {{ schema }}
    {%- endcall -%}
  {%- endfor -%}
{% endmacro %}
