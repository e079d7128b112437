{#- Published like a model, also in the place of the view that dbt clone has made of it. Where that is impossible, dbt-spark's: it drops the table, and fills it
    in batches. -#}
{% materialization seed, adapter='ctas_spark' %}
  {%- if adapter.is_preview() -%}{{ return(ctas_preview_node()) }}{%- endif -%}
  {%- set target = this.incorporate(type='table') -%}
  {%- set existing = load_cached_relation(this) -%}
  {%- if existing is not none and existing.is_view and not existing.is_clone -%}
    {%- do exceptions.raise_compiler_error("Cannot seed to '" ~ existing.render() ~ "', it is a view") -%}
  {%- endif -%}
  {%- if not adapter.publication.plan_if_possible(target, should_full_refresh()) -%}
    {%- set relations = materialization_seed_default() -%}
    {%- do adapter.run_record.list_seed(load_result('agate_table').table.rows | length) -%}
    {{ return(relations) }}
  {%- endif -%}
  {%- set rows = load_agate_table() -%}
  {%- do store_result('agate_table', response='OK', agate_table=rows) -%}
  {%- call ctas_publish_planned_table(target) -%}{{ adapter.seed_query(rows, config) }}{%- endcall -%}
  {{ return({'relations': [target]}) }}
{% endmaterialization %}
