{#- dbt-spark's, for a model that can't be published: what a staged version is checked for is checked of
    its query first. -#}
{% macro ctas_spark__create_table_as(temporary, relation, compiled_code, language='sql') %}
  {%- set query = compiled_code -%}
  {%- if model is defined and model.resource_type == 'model' and language == 'sql' and not temporary -%}
    {%- set query = adapter.incremental.query_of_created(adapter.bare(compiled_code)) -%}
    {%- if config.get('contract').enforced -%}
      {%- do get_assert_columns_equivalent(query) -%}
      {%- if ctas_has_constraints() -%}{%- set query = ctas_query_computed_once(query) -%}{%- endif -%}
      {%- do ctas_assert_constraints_hold('(' ~ query ~ '\n) as rows_of_model') -%}
    {%- endif -%}
  {%- endif -%}
  {{ return(spark__create_table_as(temporary, relation, query, language)) }}
{% endmacro %}

{#- dbt-spark's takes a table without file_format for one of Delta, which alone keeps constraints. -#}
{% macro ctas_spark__persist_constraints(relation, model) %}
  {%- if config.get('file_format') == 'delta' -%}
    {%- do spark__persist_constraints(relation, model) -%}
  {%- endif -%}
{% endmacro %}
