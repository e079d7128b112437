{#- A view that exists is altered: readers find it at every moment. Comments of a view can only be
    set by creating it, which drops it first. -#}
{% macro ctas_spark__create_view_as(relation, sql) -%}
  {%- set commented = config.persist_relation_docs() or config.persist_column_docs() -%}
  {%- if not commented and adapter.views.alters(load_cached_relation(relation)) -%}
    {%- if config.get('contract').enforced -%}
      {{ get_assert_columns_equivalent(sql) }}
    {%- endif -%}
  alter view {{ relation }} as
    {{ sql }}
  {%- else -%}
    {{ spark__create_view_as(relation, sql) }}
  {%- endif -%}
{%- endmacro %}
