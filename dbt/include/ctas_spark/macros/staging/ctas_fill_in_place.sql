{#- Level none: the published version is empty until this INSERT has filled it. -#}
{% macro ctas_fill_in_place(query) %}
  {%- set query = get_select_subquery(query) if config.get('contract').enforced else query -%}
  {%- set sql = adapter.publication.fill_statement(query) -%}
  {%- if sql is not none -%}
    {%- do ctas_run_main(sql) -%}
  {%- endif -%}
{% endmacro %}

{#- Rows that no version holds are computed once if they are checked before they are written. -#}
{% macro ctas_query_to_fill_with(query) %}
  {%- if adapter.publication.is_filled_in_place() and ctas_has_constraints() -%}
    {{ return(ctas_query_computed_once(query)) }}
  {%- endif -%}
  {{ return(query) }}
{% endmacro %}
