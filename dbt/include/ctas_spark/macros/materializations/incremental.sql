{#- Created, and created anew, like a table model. What is added to the table is published with its
    rows as one version, or written in place as dbt-spark does it. -#}
{% materialization incremental, adapter='ctas_spark', supported_languages=['sql', 'python'] %}
  {%- if adapter.is_preview() -%}{{ return(preview_node()) }}{%- endif -%}
  {%- set target = this.incorporate(type='table') -%}
  {%- set existing = load_relation(this) -%}
  {%- set full_refresh = should_full_refresh() -%}
  {%- set way = adapter.plan_increment(target, existing, full_refresh, context) -%}

  {%- if way == 'whole' and adapter.plan_if_possible(target, full_refresh) -%}
    {%- call publish_planned_table(target) -%}{{ query_of_model() }}{%- endcall -%}
  {%- elif way == 'whole' -%}
    {%- do adapter.count_writes(this, config.get('file_format')) -%}
    {%- do materialization_incremental_spark() -%}
    {%- do adapter.list_written(load_result('main').response) -%}
  {%- elif way == 'with_old_rows' -%}
    {%- call publish_planned_table(target) -%}{{ query_with_old_rows(existing) }}{%- endcall -%}
  {%- else -%}
    {%- do increment_in_place(target, existing) -%}
  {%- endif -%}
  {{ return({'relations': [target]}) }}
{% endmaterialization %}
