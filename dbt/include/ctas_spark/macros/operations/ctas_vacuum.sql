{#- dbt run-operation ctas_vacuum --args '{model: orders, older_than: 3600, dry_run: true}'
    Without model and schema: every model of the project. -#}
{% macro ctas_vacuum(
    model=none, schema=none, older_than=none, dry_run=false, fence=false, metastore=none, json=false
) %}
  {%- set arguments = {
        'model': model,
        'schema': schema,
        'older_than': older_than,
        'dry_run': dry_run,
        'fence': fence,
        'metastore': metastore,
        'json': json,
      } -%}
  {%- do print(adapter.operation_text('ctas_vacuum', graph, arguments)) -%}
{% endmacro %}
