{#- Spark has none; a project may bring a materialization of this name, for a vendor's Spark. -#}
{% materialization materialized_view, adapter='ctas_spark' %}
  {%- do adapter.refusals.materialized_view() -%}
{% endmaterialization %}
