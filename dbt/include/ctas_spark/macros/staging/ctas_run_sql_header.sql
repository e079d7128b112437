{#- A model's own statements, before it: Spark takes one at a time. -#}
{% macro ctas_run_sql_header() %}
  {%- for one in adapter.statements_of(config.get('sql_header')) -%}
    {%- call statement() -%}{{ one }}{%- endcall -%}
  {%- endfor -%}
{% endmacro %}

{#- The same for dbt-spark's own materializations, which leave it out: after the node's hooks. -#}
{% macro ctas_run_sql_header_after_hooks() %}
  {%- for one in adapter.statements_of(config.get('sql_header')) -%}
    {%- do pre_hooks.append({'sql': one, 'transaction': true}) -%}
  {%- endfor -%}
{% endmacro %}
