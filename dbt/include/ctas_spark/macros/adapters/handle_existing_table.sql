{#- A view in a table's place: Spark has no one call for it, so the view is made beside the table
    first, and a statement that Spark refuses costs no table. A published version's files and
    record stay, for the readers that have resolved it. -#}
{% macro ctas_spark__handle_existing_table(full_refresh, old_relation) %}
  {%- set beside = make_intermediate_relation(this.incorporate(type='view')) -%}
  {%- call statement() -%}
    {{ get_create_view_as_sql(beside, compiled_code) }}
  {%- endcall -%}
  {%- do adapter.drop_relation(beside) -%}
  {%- do adapter.drop_relation(old_relation) -%}
{% endmacro %}
