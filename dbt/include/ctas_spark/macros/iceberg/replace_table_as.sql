{#- Like dbt-spark's create_table_as, which says "or replace" only if file_format is configured. -#}
{% macro replace_table_as(relation, query) %}
  {%- if config.get('contract').enforced -%}
    {%- do get_assert_columns_equivalent(query) -%}
    {%- set query = get_select_subquery(query) -%}
  {%- endif -%}
  create or replace table {{ relation }}
  {{ file_format_clause() }}
  {{ options_clause() }}
  {{ tblproperties_clause() }}
  {{ partition_cols(label="partitioned by") }}
  {{ clustered_cols(label="clustered by") }}
  {{ location_clause() }}
  {{ comment_clause() }}
  as
  {{ query }}
{% endmacro %}
