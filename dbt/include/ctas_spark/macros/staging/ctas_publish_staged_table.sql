{#- A model: what it is to become is decided before its hooks run. -#}
{% macro ctas_publish_staged_table() %}
  {%- if adapter.is_preview() -%}{{ return(ctas_preview_node()) }}{%- endif -%}
  {%- set target = this.incorporate(type='table') -%}
  {%- do adapter.publication.plan(target, should_full_refresh()) -%}
  {%- call ctas_publish_planned_table(target) -%}{{ ctas_query_of_model() }}{%- endcall -%}
  {{ return({'relations': [target]}) }}
{% endmacro %}
