{#- dbt-spark's, listed at the end of the run. -#}
{% materialization snapshot, adapter='ctas_spark' %}
  {%- do adapter.count_writes(this, config.get('file_format')) -%}
  {%- set built = materialization_snapshot_spark() -%}
  {%- do adapter.list_written(load_result('main').response) -%}
  {{ return(built) }}
{% endmaterialization %}
