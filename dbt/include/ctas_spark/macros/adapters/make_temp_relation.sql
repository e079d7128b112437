{#- dbt takes unit tests of one name, for different models, for one relation; their views would be one
    in the session that all threads share. -#}
{% macro ctas_spark__make_temp_relation(base_relation, suffix) %}
  {%- set base = base_relation -%}
  {%- if model is defined and model.resource_type == 'unit_test' -%}
    {%- set own = base.identifier ~ '_' ~ local_md5(model.unique_id)[:8] -%}
    {%- set base = base.incorporate(path={'identifier': own}) -%}
  {%- endif -%}
  {{ return(spark__make_temp_relation(base, suffix)) }}
{% endmacro %}
