{#- Only Delta has clones; of any other table dbt makes a view. -#}
{% macro ctas_spark__can_clone_table() %}
  {%- set cloned = load_cached_relation(defer_relation) -%}
  {{ return(cloned is not none and cloned.is_delta) }}
{% endmacro %}
