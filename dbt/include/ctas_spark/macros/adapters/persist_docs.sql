{#- dbt-spark's sets no table's comment, and columns' of some formats only. A comment that is there
    already takes no statement. -#}
{% macro ctas_spark__persist_docs(relation, model, for_relation, for_columns) %}
  {%- set is_known = relation.in_session_catalog or relation.is_iceberg or relation.is_delta -%}
  {%- if relation.is_view or not is_known -%}
    {{ return(spark__persist_docs(relation, model, for_relation, for_columns)) }}
  {%- endif -%}
  {%- set columns = none -%}
  {%- if for_columns and config.persist_column_docs() and model.columns -%}
    {%- set names = adapter.get_columns_in_relation(relation) | map(attribute='name') | list -%}
    {%- set columns = validate_doc_columns(relation, model.columns, names) -%}
  {%- endif -%}
  {%- set description = model.description if for_relation and config.persist_relation_docs() else none -%}
  {%- if description is not none or columns -%}
    {%- do adapter.table_docs.persist(relation, description, columns) -%}
  {%- endif -%}
{% endmacro %}
