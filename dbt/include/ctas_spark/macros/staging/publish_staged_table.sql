{#- The order of steps, and nothing else: plan, begin, stage, verify, commit, settle.
    On an error the adapter's post_model_hook aborts. -#}
{% macro publish_staged_table() %}
  {%- set target = this.incorporate(type='table') -%}
  {%- set existing = load_cached_relation(this) -%}

  {%- do adapter.plan_staged_table(target, should_full_refresh()) -%}
  {{ run_hooks(pre_hooks) }}

  {%- if adapter.begin_staged_table() -%}
    {%- do stage_table() -%}
    {%- do verify_staged_table() -%}
    {%- if adapter.commit_staged_table() -%}
      {%- do fill_in_place() -%}
      {%- do adapter.settle_staged_table() -%}
      {%- do settle_published_table(target, existing) -%}
    {%- endif -%}
  {%- endif -%}

  {{ run_hooks(post_hooks) }}
  {%- do store_result('main', response=adapter.publication_response()) -%}
  {{ return({'relations': [target]}) }}
{% endmacro %}
