{#- dbt run-operation ctas_archive_classes
    With --args '{remove: true}': removes the archive. -#}
{% macro ctas_archive_classes() %}
  {%- do print(adapter.run_operations.archive_classes(kwargs)) -%}
{% endmacro %}
