{#- Always written out: without USING, Spark 3.5 makes a text table. -#}
{% macro ctas_spark__file_format_clause() %}
  using {{ config.get('file_format', 'parquet') }}
{% endmacro %}
