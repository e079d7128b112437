{% macro ctas_spark__list_schemas(database) %}
  {%- call statement('list_schemas', fetch_result=true, auto_begin=false) -%}
    show schemas in {{ database or 'spark_catalog' }}
  {%- endcall -%}
  {{ return(load_result('list_schemas').table) }}
{% endmacro %}
