{#- Delta refuses to clone over a table that has rows, so what is there is dropped first. -#}
{% macro ctas_spark__create_or_replace_clone(this_relation, defer_relation) %}
  {%- do drop_relation_if_exists(load_cached_relation(this_relation)) -%}
  create table {{ this_relation }} shallow clone {{ defer_relation }}
{% endmacro %}
