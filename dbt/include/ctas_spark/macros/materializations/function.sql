{#- dbt's own; in a preview the function is temporary, and its hooks run without what they write. -#}
{% materialization function, adapter='ctas_spark', supported_languages=['sql', 'python'] %}
  {%- if model.get('overloads') -%}{%- do adapter.refusals.overloads(this) -%}{%- endif -%}
  {%- do adapter.previews.leave_out_writes(adapter.is_preview()) -%}
  {%- set built = materialization_function_default() -%}
  {%- do adapter.previews.leave_out_writes(false) -%}
  {{ return(built) }}
{% endmaterialization %}
