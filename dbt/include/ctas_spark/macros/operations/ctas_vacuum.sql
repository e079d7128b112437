{#- dbt run-operation ctas_vacuum --args '{model: orders, older_than: 3600, dry_run: true}'
    Without model and schema: every model of the project. -#}
{% macro ctas_vacuum(model=none, schema=none, older_than=none, dry_run=false, json=false) %}
  {%- do print(adapter.vacuum_text(graph, model, schema, older_than, dry_run, json)) -%}
{% endmacro %}
