{#- Any node as a temporary view that shadows its table; hooks run, but not what they write. -#}
{% macro ctas_preview_node() %}
  {%- if model.unique_id.endswith('__latest_version_pointer') -%}
    {#- dbt-core 1.12 makes this view of a model's latest version within the node of that model -#}
    {%- do ctas_run_main(compiled_code) -%}
    {%- do adapter.previews.shadow(this) -%}
    {{ return({'relations': [this.incorporate(type='view')]}) }}
  {%- endif -%}
  {%- set existing = load_relation(this) -%}
  {%- set is_added_to = adapter.previews.begin(this, existing, should_full_refresh(), context) -%}

  {%- do ctas_run_hooks_of_preview(pre_hooks) -%}
  {%- do ctas_run_sql_header() -%}

  {%- set query = ctas_query_of_preview(existing, is_added_to) -%}
  {%- set enforced = config.get('contract').enforced -%}
  {%- if enforced -%}
    {%- do get_assert_columns_equivalent(query) -%}
    {%- set query = get_select_subquery(query) -%}
  {%- endif -%}
  {%- do adapter.temporary_objects.define_rows(query) -%}
  {%- do adapter.previews.shadow(this) -%}
  {%- if enforced -%}{%- do ctas_assert_constraints_hold(this) -%}{%- endif -%}

  {%- do ctas_run_hooks_of_preview(post_hooks) -%}
  {%- do store_result('main', response=adapter.previews.note(this)) -%}
  {%- set kind = 'view' if config.get('materialized') == 'view' else 'table' -%}
  {{ return({'relations': [this.incorporate(type=kind)]}) }}
{% endmacro %}

{% macro ctas_run_hooks_of_preview(hooks) %}
  {%- do adapter.previews.leave_out_writes(true) -%}
  {%- do run_hooks(hooks) -%}
  {%- do adapter.previews.leave_out_writes(false) -%}
{% endmacro %}
