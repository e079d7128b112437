{#- A view of this run alone, which ref() and source() find before whatever is permanent there. -#}
{% materialization temporary_view, adapter='ctas_spark', supported_languages=['sql', 'python'] %}
  {%- if adapter.is_preview() -%}{{ return(ctas_preview_node()) }}{%- endif -%}
  {{ run_hooks(pre_hooks) }}
  {%- do ctas_run_sql_header() -%}

  {%- set query = ctas_query_of_model() -%}
  {%- if config.get('contract').enforced -%}
    {%- do get_assert_columns_equivalent(query) -%}
    {%- set query = get_select_subquery(query) -%}
  {%- endif -%}
  {%- do adapter.temporary_objects.define_rows(query) -%}
  {%- do store_result('main', response='OK') -%}
  {%- do adapter.temporary_objects.shadow(this) -%}

  {{ run_hooks(post_hooks) }}
  {{ return({'relations': [this.incorporate(type='view')]}) }}
{% endmaterialization %}
