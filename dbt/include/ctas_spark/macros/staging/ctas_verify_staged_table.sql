{#- Constraints and column docs, all on the staged version: readers see none of it. Its columns were those
    of the contract in the query; a format may have another type for one, as Iceberg has for a smallint. -#}
{% macro ctas_verify_staged_table(query) %}
  {%- set staged = adapter.publication.verify().quote(database=true, schema=true, identifier=true) -%}
  {%- if config.get('contract').enforced -%}
    {%- set of_query = '(' ~ query ~ '\n) as rows_of_model' -%}
    {%- do ctas_assert_constraints_hold(of_query if adapter.publication.is_filled_in_place() else staged) -%}
  {%- endif -%}
  {%- do adapter.publication.comment_columns(staged) -%}
{% endmacro %}
