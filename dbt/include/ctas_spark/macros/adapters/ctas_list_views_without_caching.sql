{% macro ctas_list_views_without_caching(schema_relation) %}
  {%- call statement('list_views', fetch_result=true) -%}
    show views in {{ schema_relation.quote(database=true, schema=true) }}
  {%- endcall -%}
  {{ return(load_result('list_views').table) }}
{% endmacro %}
