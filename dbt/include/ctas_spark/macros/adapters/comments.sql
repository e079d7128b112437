{#- The comments in a statement that creates something, with every character of their text: dbt-spark
    escapes nothing but apostrophes. -#}
{% macro ctas_spark__comment_clause() %}
  {%- if config.persist_relation_docs() %} comment {{ adapter.literal(model.description) }}{% endif -%}
{% endmacro %}

{#- dbt-spark's list of a view's columns calls it by this name. -#}
{% macro get_column_comment_sql(column_name, column_dict) %}
  {{- adapter.quote(column_name) -}}
  {%- if column_name in column_dict and column_dict[column_name].description %}
    comment {{ adapter.literal(column_dict[column_name].description) }}
  {%- endif -%}
{% endmacro %}
