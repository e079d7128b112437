{#- Always written out in the session catalog: without USING, Spark 3.5 makes a text table.
    Another catalog knows best which format its tables have. -#}
{% macro ctas_spark__file_format_clause() %}
  {%- set file_format = config.get('file_format') or ('parquet' if this.in_session_catalog) -%}
  {%- if file_format %}
  using {{ file_format }}
  {%- endif %}
{% endmacro %}
