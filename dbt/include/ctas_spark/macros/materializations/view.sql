{#- A view that takes the place of a table, or of a view with comments, is created under another name
    first: one call then puts it there. Any other is dbt-spark's. -#}
{% materialization view, adapter='ctas_spark' %}
  {%- if adapter.is_preview() -%}{{ return(ctas_preview_node()) }}{%- endif -%}
  {%- set target = this.incorporate(type='view') -%}
  {%- set existing = load_relation(this) -%}
  {%- set staged = adapter.staged_view(target, existing) -%}
  {%- if staged is none -%}
    {{ return(create_or_replace_view()) }}
  {%- endif -%}

  {{ run_hooks(pre_hooks) }}

  {%- if pre_hooks -%}{#- what they did is no conflict -#}
    {%- set staged = adapter.staged_view(target, existing) -%}
  {%- endif -%}
  {%- call statement('main') -%}
    {{ spark__create_view_as(staged or target, compiled_code) }}
  {%- endcall -%}
  {%- if staged -%}{%- do adapter.publish_view(staged) -%}{%- endif -%}
  {%- do adapter.cache_dropped(existing) -%}
  {%- do apply_grants(target, config.get('grants'), should_revoke(existing, True)) -%}

  {{ run_hooks(post_hooks) }}
  {{ return({'relations': [target]}) }}
{% endmaterialization %}
