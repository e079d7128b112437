{#- A model: what it is to become is decided before its hooks run. -#}
{% macro publish_staged_table() %}
  {%- set target = this.incorporate(type='table') -%}
  {%- do adapter.plan_staged_table(target, should_full_refresh()) -%}
  {{ return(publish_planned_table(target, compiled_code)) }}
{% endmacro %}
