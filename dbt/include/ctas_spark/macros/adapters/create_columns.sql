{#- The columns that a snapshot's table lacks. Those that dbt names the parts of a unique key by are
    of its query alone: in the table, the next snapshot would find each name twice. -#}
{% macro ctas_spark__create_columns(relation, columns) %}
  {%- set own = [] -%}
  {%- for column in columns if not column.name.lower().startswith('dbt_unique_key_') -%}
    {%- do own.append(column) -%}
  {%- endfor -%}
  {%- do spark__create_columns(relation, own) -%}
{% endmacro %}
