{#- A view takes a table's place: Spark has no single call for that. So the view is first made under
    another name, and a statement that Spark refuses costs no table, nor does a view that reads the table
    itself. A published version's files and
    record stay, for readers that have resolved it. -#}
{% macro ctas_spark__handle_existing_table(full_refresh, old_relation) %}
  {%- set intermediate = make_intermediate_relation(this.incorporate(type='view')) -%}
  {%- call statement() -%}
    {{ get_create_view_as_sql(intermediate, compiled_code) }}
  {%- endcall -%}
  {%- do adapter.views.drop_tried(intermediate, old_relation) -%}
  {%- do adapter.drop_relation(old_relation) -%}
{% endmacro %}
