{#- dbt-spark's, except for a full refresh of an Iceberg table, which dbt-spark drops first. -#}
{% materialization incremental, adapter='ctas_spark', supported_languages=['sql'] %}
  {%- set existing = load_relation(this) -%}
  {%- set stays = existing is not none and existing.stays_iceberg(config.get('file_format')) -%}
  {%- if stays and should_full_refresh() -%}
    {{ return(refresh_iceberg_table(existing)) }}
  {%- endif -%}
  {{ return(materialization_incremental_spark()) }}
{% endmaterialization %}
