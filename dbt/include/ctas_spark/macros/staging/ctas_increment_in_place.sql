{#- dbt-spark's statements. Only the main one's rows and bytes are counted. A session that remembers
    where the table lay would read, and write, a version that another run has replaced since. -#}
{% macro ctas_increment_in_place(target, existing) %}
  {%- set strategy = config.get('incremental_strategy') or 'append' -%}
  {%- set predicates = config.get('predicates') or config.get('incremental_predicates') -%}
  {%- if strategy in ['insert_overwrite', 'microbatch'] and config.get('partition_by') -%}
    {%- call statement() -%} set spark.sql.sources.partitionOverwriteMode = DYNAMIC {%- endcall -%}
  {%- endif -%}

  {{ run_hooks(pre_hooks) }}
  {%- do adapter.run_sql_header(config.get('sql_header')) -%}

  {%- do adapter.forget_cached(existing) -%}
  {%- set rows = ctas_view_of_model() -%}
  {%- set changes = incremental_validate_on_schema_change(config.get('on_schema_change')) -%}
  {%- do process_schema_changes(changes, rows, existing) -%}
  {%- if strategy == 'merge' -%}{%- do adapter.check_unique_key(existing, rows) -%}{%- endif -%}
  {%- if config.get('contract').enforced -%}{%- do ctas_assert_constraints_hold(rows) -%}{%- endif -%}
  {%- do adapter.count_writes(this, config.get('file_format')) -%}
  {%- do adapter.forget_cached(existing) -%}
  {%- call statement('main') -%}
    {{ ctas_increment_sql(strategy, rows, target, existing, predicates) }}
  {%- endcall -%}
  {%- do adapter.list_written(load_result('main').response) -%}

  {%- do apply_grants(target, config.get('grants'), should_revoke(existing, should_full_refresh())) -%}
  {%- do persist_docs(target, model) -%}
  {{ run_hooks(post_hooks) }}
{% endmacro %}

{#- dbt-spark's strategies, and those of the project: macros named get_incremental_NAME_sql. -#}
{% macro ctas_increment_sql(strategy, rows, target, existing, predicates) %}
  {%- if adapter.has_strategy(strategy) -%}
    {{ return(dbt_spark_get_incremental_sql(
      strategy, rows, target, existing, config.get('unique_key'), predicates)) }}
  {%- endif -%}
  {{ return(adapter.strategy_sql(context, {
    'target_relation': target,
    'temp_relation': rows,
    'unique_key': config.get('unique_key'),
    'dest_columns': adapter.get_columns_in_relation(existing),
    'incremental_predicates': predicates,
  })) }}
{% endmacro %}
