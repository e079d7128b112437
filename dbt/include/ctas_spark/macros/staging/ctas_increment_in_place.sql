{#- What is to happen is checked, then the columns change, then the rows are written. Only the main
    statement's rows and bytes are counted. A session that remembers where the table lay would read,
    and write, a version that another run has replaced since. -#}
{% macro ctas_increment_in_place(target, existing) %}
  {%- set strategy = config.get('incremental_strategy') or 'append' -%}
  {%- set by_partition = strategy in ['insert_overwrite', 'microbatch'] and config.get('partition_by') -%}
  {%- if by_partition and not (strategy == 'microbatch' and existing.is_delta) -%}
    {%- call statement() -%} set spark.sql.sources.partitionOverwriteMode = DYNAMIC {%- endcall -%}
  {%- endif -%}

  {{ run_hooks(pre_hooks) }}
  {%- do ctas_run_sql_header() -%}

  {%- do adapter.forget_cached(existing) -%}
  {%- set rows = ctas_view_of_model() -%}
  {%- if config.get('contract').enforced -%}
    {%- do get_assert_columns_equivalent('select * from ' ~ rows) -%}
  {%- endif -%}
  {%- if adapter.incremental.has_strategy(strategy) -%}
    {%- set sql = ctas_columns_in_place(target, existing, rows, strategy) -%}
  {%- else -%}
    {%- set sql = ctas_increment_of_project(target, existing, rows) -%}
  {%- endif -%}
  {%- do adapter.run_record.count_writes(this, config.get('file_format')) -%}
  {%- do adapter.forget_cached(existing) -%}
  {%- call statement('main') -%}{{ sql }}{%- endcall -%}
  {%- do adapter.run_record.list_written(load_result('main').response) -%}

  {%- do apply_grants(target, config.get('grants'), should_revoke(existing, should_full_refresh())) -%}
  {%- do persist_docs(existing, model) -%}
  {{ run_hooks(post_hooks) }}
{% endmacro %}

{#- The columns become what the rows need; the statement that then adds them is returned. -#}
{% macro ctas_columns_in_place(target, existing, rows, strategy) %}
  {%- set planned = adapter.incremental.increment(existing, rows) -%}
  {%- do ctas_check_rows(rows, strategy == 'merge' and existing.is_iceberg) -%}
  {%- set source = make_temp_relation(this, '__source__dbt_tmp').incorporate(type='view') -%}
  {%- call statement('ctas_source') -%}{{ create_temporary_view(source, planned.source) }}{%- endcall -%}
  {%- for alteration in planned.alterations -%}
    {%- call statement('alter') -%}{{ alteration }}{%- endcall -%}
  {%- endfor -%}
  {%- set sql = adapter.incremental.statement(planned, existing, source) -%}
  {%- set predicates = config.get('predicates') or config.get('incremental_predicates') -%}
  {{ return(sql or dbt_spark_get_incremental_sql(
    strategy, source, target, existing, config.get('unique_key'), predicates)) }}
{% endmacro %}

{#- Constraints, on rows that are computed once if anything but the one statement reads them. -#}
{% macro ctas_check_rows(rows, is_read_twice) %}
  {%- if is_read_twice or ctas_has_constraints() -%}{%- do adapter.rows.compute_once(rows) -%}{%- endif -%}
  {%- if ctas_has_constraints() -%}{%- do ctas_assert_constraints_hold(rows) -%}{%- endif -%}
{% endmacro %}

{#- A strategy of the project's own is a macro named get_incremental_NAME_sql. -#}
{% macro ctas_increment_of_project(target, existing, rows) %}
  {%- set changes = incremental_validate_on_schema_change(config.get('on_schema_change')) -%}
  {%- do ctas_check_rows(rows, existing.is_iceberg) -%}
  {%- do process_schema_changes(changes, rows, existing) -%}
  {{ return(adapter.incremental.statement_of_project(context, {
    'target_relation': target,
    'temp_relation': rows,
    'unique_key': config.get('unique_key'),
    'dest_columns': adapter.get_columns_in_relation(existing),
    'incremental_predicates': config.get('predicates') or config.get('incremental_predicates'),
  })) }}
{% endmacro %}
