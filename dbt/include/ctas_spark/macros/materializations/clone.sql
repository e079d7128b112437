{#- dbt's own: a clone where the format has one, and else a view; dbt-spark's refuses other formats.
    A relation is never cloned to itself: a view of a table can't take the table's place. -#}
{% materialization clone, adapter='ctas_spark' %}
  {%- set is_itself = defer_relation and defer_relation.render() == this.render() -%}
  {%- if is_itself and load_cached_relation(this) is not none -%}
    {%- do log('Target relation and defer relation are the same, skipping clone for relation: ' ~ this.render()) -%}
    {{ return({'relations': []}) }}
  {%- endif -%}
  {%- set built = materialization_clone_default() -%}
  {%- for one in built['relations'] if one.is_view and one.in_session_catalog -%}
    {%- call statement() -%}{{ adapter.views.clone_mark_sql(one) }}{%- endcall -%}
  {%- endfor -%}
  {{ return(built) }}
{% endmaterialization %}
