{#- Iceberg's session catalog leaves the files of a managed table that is not Iceberg's. -#}
{% macro ctas_spark__drop_relation(relation) -%}
  {% call statement('drop_relation', auto_begin=False) -%}
    drop {{ relation.type }} if exists {{ relation }} {{ adapter.relations.purge_clause(relation) }}
  {%- endcall %}
{% endmacro %}
