{% macro ctas_list_functions_without_caching(schema_relation) %}
  {%- call statement('list_functions', fetch_result=true) -%}
    show user functions in {{ schema_relation.quote(database=true, schema=true) }}
  {%- endcall -%}
  {{ return(load_result('list_functions').table) }}
{% endmacro %}
