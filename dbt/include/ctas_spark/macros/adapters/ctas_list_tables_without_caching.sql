{#- dbt-spark's list_relations_show_tables_without_caching names no catalog. This macro has another
    name: of two macros with one name, a call from Python may get either. -#}
{% macro ctas_list_tables_without_caching(schema_relation) %}
  {%- call statement('list_tables', fetch_result=true) -%}
    show tables in {{ schema_relation.quote(database=true, schema=true) }}
  {%- endcall -%}
  {{ return(load_result('list_tables').table) }}
{% endmacro %}
