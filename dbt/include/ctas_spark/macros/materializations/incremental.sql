{#- Created, and created again, like a table model. What is added to the table is published with its
    rows as one version, or written in place as dbt-spark does it. -#}
{% materialization incremental, adapter='ctas_spark', supported_languages=['sql', 'python'] %}
  {%- if adapter.is_preview() -%}{{ return(ctas_preview_node()) }}{%- endif -%}
  {%- set target = this.incorporate(type='table') -%}
  {%- set existing = load_relation(this) -%}
  {%- set full_refresh = should_full_refresh() -%}
  {%- set mode = adapter.incremental.plan(target, existing, full_refresh, context) -%}

  {%- if mode == 'whole' and adapter.publication.plan_if_possible(target, full_refresh) -%}
    {%- call ctas_publish_planned_table(target) -%}{{ ctas_query_of_created() }}{%- endcall -%}
  {%- elif mode == 'whole' -%}
    {%- do adapter.run_record.count_writes(this, config.get('file_format')) -%}
    {%- do ctas_run_sql_header_after_hooks() -%}
    {%- do materialization_incremental_spark() -%}
    {%- do adapter.run_record.list_written(load_result('main').response) -%}
  {%- elif mode == 'with_old_rows' -%}
    {%- call ctas_publish_planned_table(target) -%}{{ ctas_query_with_old_rows(existing) }}{%- endcall -%}
  {%- else -%}
    {%- do ctas_increment_in_place(target, existing) -%}
  {%- endif -%}
  {%- if model.batch -%}{#- the next batch finds what is cached -#}
    {%- set target = adapter.relations.as_described(target) if mode == 'whole' else existing -%}
  {%- endif -%}
  {{ return({'relations': [target]}) }}
{% endmaterialization %}

{#- A table's first batch is checked as the later ones are. -#}
{% macro ctas_query_of_created() %}
  {{ return(adapter.incremental.query_of_created(ctas_query_of_model())) }}
{% endmacro %}
