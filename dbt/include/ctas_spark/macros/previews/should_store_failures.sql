{#- dbt's own, by its name: no dispatch finds another. A preview stores nothing. -#}
{% macro should_store_failures() %}
  {{ return(not adapter.is_preview() and dbt.should_store_failures()) }}
{% endmacro %}
