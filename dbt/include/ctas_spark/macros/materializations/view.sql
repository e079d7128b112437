{#- A view that takes the place of a table, or of a view with comments, is created under another name
    first: one call then puts it there. Any other is created or altered as dbt-spark does it. -#}
{% materialization view, adapter='ctas_spark' %}
  {%- if adapter.is_preview() -%}{{ return(ctas_preview_node()) }}{%- endif -%}
  {%- set target = this.incorporate(type='view') -%}
  {%- set existing = load_relation(this) -%}
  {%- set staged = adapter.views.staged(target, existing) -%}

  {{ run_hooks(pre_hooks) }}
  {%- if flags.WHICH != 'clone' -%}{#- a clone's view selects from the original -#}
    {%- do ctas_run_sql_header() -%}
  {%- endif -%}

  {%- if staged and pre_hooks -%}{#- what they did is no conflict -#}
    {%- set staged = adapter.views.staged(target, existing) -%}
  {%- endif -%}
  {%- if not staged and existing is not none and existing.is_table -%}
    {{ handle_existing_table(should_full_refresh(), existing) }}
  {%- endif -%}
  {%- call statement('main') -%}
    {{ spark__create_view_as(staged, compiled_code) if staged else get_create_view_as_sql(target, compiled_code) }}
  {%- endcall -%}
  {%- if staged -%}
    {%- do adapter.views.publish(staged) -%}
    {%- do adapter.cache_dropped(existing) -%}
  {%- endif -%}
  {%- do apply_grants(target, config.get('grants'), should_revoke(existing, True)) -%}

  {{ run_hooks(post_hooks) }}
  {{ return({'relations': [target]}) }}
{% endmaterialization %}
