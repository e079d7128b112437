{#- In the session catalog dbt-spark asks file_format whether columns can have comments. -#}
{% macro ctas_spark__alter_column_comment(relation, column_dict) %}
  {%- if relation.in_session_catalog -%}
    {{ return(spark__alter_column_comment(relation, column_dict)) }}
  {%- endif -%}
  {%- for column in column_dict.values() if column.description -%}
    {%- do run_query(adapter.column_comment_sql(relation, column.name, column.description)) -%}
  {%- endfor -%}
{% endmacro %}
