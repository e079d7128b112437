{#- dbt's defaults cast by PostgreSQL's ::, which Spark has since 4.0. -#}
{% macro ctas_spark__current_timestamp_backcompat() %}
  {{ return('current_timestamp()') }}
{% endmacro %}

{% macro ctas_spark__current_timestamp_in_utc_backcompat() %}
  {{ return('current_timestamp()') }}
{% endmacro %}
