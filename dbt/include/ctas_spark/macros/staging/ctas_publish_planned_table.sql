{#- The order of steps, and nothing else: begin, stage, verify, commit, settle. The caller's block is
    the query, which is made after begin; if a stream has nothing new, it decides to keep the table.
    On an error the adapter's post_model_hook aborts. -#}
{% macro ctas_publish_planned_table(target) %}
  {%- set existing = load_cached_relation(this) -%}

  {{ run_hooks(pre_hooks) }}
  {%- do ctas_run_sql_header() -%}

  {%- if adapter.publication.begin() -%}
    {%- set query = ctas_query_to_fill_with(caller()) -%}
    {%- if adapter.publication.is_undecided() -%}
      {%- do ctas_stage_table(query) -%}
      {%- do ctas_verify_staged_table(query) -%}
      {%- if adapter.publication.commit() -%}
        {%- do ctas_fill_in_place(query) -%}
        {%- do adapter.publication.settle() -%}
        {%- do ctas_settle_published_table(target, existing) -%}
      {%- endif -%}
    {%- endif -%}
  {%- endif -%}

  {{ run_hooks(post_hooks) }}
  {%- do store_result('main', response=adapter.publication.response()) -%}
{% endmacro %}
