{#- One commit of Iceberg's: there is a table at every moment, and after a failure it is the old one. -#}
{% macro refresh_iceberg_table(existing) %}
  {%- set target = this.incorporate(type='table') -%}
  {%- set strategy = config.get('incremental_strategy') or 'append' -%}
  {%- do dbt_spark_validate_get_incremental_strategy(strategy, 'iceberg') -%}

  {{ run_hooks(pre_hooks) }}
  {%- call statement('main') -%}
    {{ replace_table_as(target, compiled_code) }}
  {%- endcall -%}
  {%- set revokes = should_revoke(existing, full_refresh_mode=True) -%}
  {%- do apply_grants(target, config.get('grants'), revokes) -%}
  {%- do persist_docs(target, model) -%}
  {{ run_hooks(post_hooks) }}

  {{ return({'relations': [target]}) }}
{% endmacro %}
