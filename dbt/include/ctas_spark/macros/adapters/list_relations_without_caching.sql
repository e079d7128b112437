{% macro ctas_spark__list_relations_without_caching(schema_relation) %}
  {%- call statement('list_relations', fetch_result=true) -%}
    show table extended in {{ schema_relation.quote(database=true, schema=true) }} like '*'
  {%- endcall -%}
  {{ return(load_result('list_relations').table) }}
{% endmacro %}
