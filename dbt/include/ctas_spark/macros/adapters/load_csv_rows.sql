{#- dbt-spark's; then the seed is listed at the end of the run. -#}
{% macro ctas_spark__load_csv_rows(model, agate_table) %}
  {%- set sql = spark__load_csv_rows(model, agate_table) -%}
  {%- do adapter.run_record.list_seed(agate_table.rows | length) -%}
  {{ return(sql) }}
{% endmacro %}
