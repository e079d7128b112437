{#- dbt-spark's, except for a full refresh of an Iceberg table, which dbt-spark drops first. -#}
{% materialization incremental, adapter='ctas_spark', supported_languages=['sql'] %}
  {%- do adapter.count_writes(this, config.get('file_format')) -%}
  {%- set existing = load_relation(this) -%}
  {%- set stays = existing is not none and existing.stays_iceberg(config.get('file_format')) -%}
  {%- if stays and should_full_refresh() -%}
    {%- set built = refresh_iceberg_table(existing) -%}
  {%- else -%}
    {%- set built = materialization_incremental_spark() -%}
  {%- endif -%}
  {%- do adapter.list_written(load_result('main').response) -%}
  {{ return(built) }}
{% endmaterialization %}
