{#- In place of dbt's own, which no dispatch finds: a preview stores nothing. -#}
{% macro should_store_failures() %}
  {%- set asked = config.get('store_failures') -%}
  {%- set stores = flags.STORE_FAILURES if asked is none else asked -%}
  {{ return(stores and not adapter.is_preview()) }}
{% endmacro %}
