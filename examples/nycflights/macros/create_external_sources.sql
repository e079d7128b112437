{% macro create_external_sources() %}
  {# Tables over the files that load.py wrote; metadata only, and nothing once they exist. #}
  {% if execute %}
    {% set directory = data_directory() %}
    {% for source in graph.sources.values() if source.external %}
      {% set location = directory ~ "/" ~ source.external.location %}
      {% do run_query("create schema if not exists " ~ source.schema) %}
      {% do run_query(
        "create table if not exists " ~ source.schema ~ "." ~ source.identifier
        ~ " using " ~ source.external.file_format
        ~ " location " ~ dbt.string_literal(dbt.escape_single_quotes(location))
      ) %}
    {% endfor %}
  {% endif %}
{% endmacro %}
