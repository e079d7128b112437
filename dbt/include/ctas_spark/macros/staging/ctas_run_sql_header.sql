{#- A model's own statements, before it: Spark takes one at a time. -#}
{% macro ctas_run_sql_header() %}
  {%- for one in adapter.statements_of(config.get('sql_header')) -%}
    {%- call statement() -%}{{ one }}{%- endcall -%}
  {%- endfor -%}
{% endmacro %}
