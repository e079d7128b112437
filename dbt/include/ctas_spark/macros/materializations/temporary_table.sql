{#- There is no temporary table as select: the error names the temporary view. -#}
{% materialization temporary_table, adapter='ctas_spark' %}
  {%- do adapter.refusals.temporary_table() -%}
{% endmaterialization %}
