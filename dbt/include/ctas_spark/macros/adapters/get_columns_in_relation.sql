{#- dbt-spark's gives rows of DESCRIBE, not columns: dbt's snapshot finds no name in them, and with
    hard_deletes: new_record writes a row of NULLs for each deleted one. -#}
{% macro ctas_spark__get_columns_in_relation(relation) %}
  {{ return(adapter.get_columns_in_relation(relation)) }}
{% endmacro %}
