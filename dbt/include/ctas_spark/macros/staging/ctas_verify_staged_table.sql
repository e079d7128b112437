{#- Contract, constraints and column docs, all on the staged version: readers see none of it. -#}
{% macro ctas_verify_staged_table(query) %}
  {%- set staged = adapter.publication.verify().quote(database=true, schema=true, identifier=true) -%}
  {%- if config.get('contract').enforced -%}
    {%- do get_assert_columns_equivalent('select * from ' ~ staged) -%}
    {%- do ctas_assert_constraints_hold(adapter.publication.rows_to_check(staged, query)) -%}
  {%- endif -%}
  {%- do adapter.publication.comment_columns(staged) -%}
{% endmacro %}
