{#- A Python model runs now, and is then a view of what it returned; so is what a stream brings. -#}
{% macro ctas_query_of_model() %}
  {%- if model.language != 'python' and not adapter.rows.may_be_stream(compiled_code) -%}
    {{ return(adapter.bare(compiled_code)) }}
  {%- endif -%}
  {{ return('select * from ' ~ ctas_view_of_model()) }}
{% endmacro %}

{#- The model's rows as a temporary view of a name that no other path has. -#}
{% macro ctas_view_of_model() %}
  {%- set path = {'identifier': this.identifier ~ '__dbt_tmp'} -%}
  {%- set view = this.incorporate(path=path).include(database=false, schema=false) -%}
  {%- if model.language == 'python' -%}
    {%- do adapter.rows.run_python(view, compiled_code) -%}
  {%- elif adapter.rows.may_be_stream(compiled_code) -%}
    {%- do adapter.temporary_objects.define_rows(compiled_code) -%}
    {%- do adapter.rows.view_last_query(view) -%}
  {%- else -%}
    {%- call statement('ctas_view_of_model') -%}
      {{ create_temporary_view(view, adapter.bare(compiled_code)) }}
    {%- endcall -%}
  {%- endif -%}
  {{ return(view) }}
{% endmacro %}
