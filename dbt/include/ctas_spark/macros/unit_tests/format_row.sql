{#- In place of dbt's own, which no dispatch finds: it writes structs, arrays and maps as Python does. -#}
{% macro format_row(row, column_name_to_data_types) %}
  {%- set fixture = 'expected output' if model.resource_type == 'unit_test' else "'" ~ model.name ~ "'" -%}
  {{ return(adapter.fixture_row(row, column_name_to_data_types, fixture)) }}
{% endmacro %}
