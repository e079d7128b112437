{#- dbt-spark's statements. Only the main one's rows and bytes are counted. -#}
{% macro increment_in_place(target, existing) %}
  {%- set strategy = config.get('incremental_strategy') or 'append' -%}
  {%- set predicates = config.get('predicates') or config.get('incremental_predicates') -%}
  {%- if strategy in ['insert_overwrite', 'microbatch'] and config.get('partition_by') -%}
    {%- call statement() -%} set spark.sql.sources.partitionOverwriteMode = DYNAMIC {%- endcall -%}
  {%- endif -%}

  {{ run_hooks(pre_hooks) }}

  {%- set rows = view_of_model() -%}
  {%- set changes = incremental_validate_on_schema_change(config.get('on_schema_change')) -%}
  {%- do process_schema_changes(changes, rows, existing) -%}
  {%- if config.get('contract').enforced -%}{%- do assert_constraints_hold(rows) -%}{%- endif -%}
  {%- do adapter.count_writes(this, config.get('file_format')) -%}
  {%- call statement('main') -%}
    {{ dbt_spark_get_incremental_sql(
      strategy, rows, target, existing, config.get('unique_key'), predicates) }}
  {%- endcall -%}
  {%- do adapter.list_written(load_result('main').response) -%}

  {%- do apply_grants(target, config.get('grants'), should_revoke(existing, should_full_refresh())) -%}
  {%- do persist_docs(target, model) -%}
  {{ run_hooks(post_hooks) }}
{% endmacro %}
