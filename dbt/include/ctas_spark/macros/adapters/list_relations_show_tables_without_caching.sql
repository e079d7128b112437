{#- In the place of dbt-spark's, which names no catalog. -#}
{% macro list_relations_show_tables_without_caching(schema_relation) %}
  {%- call statement('list_tables', fetch_result=true) -%}
    show tables in {{ schema_relation.quote(database=true, schema=true) }} like '*'
  {%- endcall -%}
  {{ return(load_result('list_tables').table) }}
{% endmacro %}
