{#- dbt-spark's, but for a full refresh of an Iceberg table, before which that drops it. -#}
{% materialization incremental, adapter='ctas_spark', supported_languages=['sql'] %}
  {%- set existing = load_relation(this) -%}
  {%- if should_full_refresh() and adapter.stays_iceberg(existing, config.get('file_format')) -%}
    {{ return(refresh_iceberg_table(existing)) }}
  {%- endif -%}
  {{ return(materialization_incremental_spark()) }}
{% endmaterialization %}
