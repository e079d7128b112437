{#- In the session catalog, as in dbt-spark, the config file_format says whether columns can have
    comments; there, a comment that was taken away is deleted. -#}
{% macro ctas_spark__alter_column_comment(relation, column_dict) %}
  {%- set deletes = relation.in_session_catalog -%}
  {%- if deletes and config.get('file_format') not in ['delta', 'hudi', 'iceberg'] -%}
    {{ return('') }}
  {%- endif -%}
  {%- for column in column_dict.values() if column.description or deletes -%}
    {%- do run_query(adapter.table_docs.column_sql(relation, column.name, column.description)) -%}
  {%- endfor -%}
{% endmacro %}
