{#- Replaces dbt's, to which a name in another case is a new column, so that every row has changed. -#}
{% macro snapshot_check_all_get_existing_columns(node, target_exists, check_cols_config) %}
  {%- set is_list = check_cols_config is sequence and check_cols_config is not string -%}
  {%- if check_cols_config != 'all' and not (is_list and check_cols_config) -%}
    {%- do exceptions.raise_compiler_error("Invalid value for 'check_cols': " ~ check_cols_config) -%}
  {%- endif -%}
  {%- set names = '*' if check_cols_config == 'all' else adapter.quoted_names(check_cols_config) -%}
  {%- set query = 'select ' ~ names ~ ' from (\n' ~ adapter.bare(node['compiled_code']) ~ '\n) subq' -%}
  {%- set path = {'database': node.database, 'schema': node.schema, 'identifier': node.alias} -%}
  {%- set existing = adapter.get_relation(**path) if target_exists else none -%}
  {{ return(adapter.snapshots.columns_to_check(get_column_schema_from_query(query), existing)) }}
{% endmacro %}
