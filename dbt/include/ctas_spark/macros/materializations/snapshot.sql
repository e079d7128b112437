{#- Created like a table model. The changes to a table of files are published with its records as one
    version; Delta and Iceberg have a MERGE, which is dbt-spark's. -#}
{% materialization snapshot, adapter='ctas_spark' %}
  {%- if adapter.is_preview() -%}{{ return(ctas_preview_node()) }}{%- endif -%}
  {%- set target = this.incorporate(type='table') -%}
  {%- set existing = load_relation(this) -%}
  {%- if existing is not none and not existing.is_table -%}
    {%- do exceptions.relation_wrong_type(existing, 'table') -%}
  {%- endif -%}
  {%- set mode = adapter.incremental.plan(target, existing, false, {}) -%}
  {%- if mode == 'in_place' or mode == 'whole' and not adapter.publication.plan_if_possible(target, false) -%}
    {%- do adapter.run_record.count_writes(this, config.get('file_format')) -%}
    {%- do ctas_run_sql_header_after_hooks() -%}
    {%- set built = materialization_snapshot_spark() -%}
    {%- do adapter.run_record.list_written(load_result('main').response) -%}
    {{ return(built) }}
  {%- endif -%}
  {%- call ctas_publish_planned_table(target) -%}{{ ctas_query_of_snapshot(existing) }}{%- endcall -%}
  {{ return({'relations': [target]}) }}
{% endmaterialization %}
