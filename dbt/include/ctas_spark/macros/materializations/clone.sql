{#- dbt's own: a clone where the format has one, and else a view; dbt-spark's refuses other formats.
    A relation is never cloned to itself: a view of a table can't take the table's place. -#}
{% materialization clone, adapter='ctas_spark' %}
  {%- set is_itself = defer_relation and defer_relation.render() == this.render() -%}
  {%- if is_itself and load_cached_relation(this) is not none -%}
    {%- do log('Target relation and defer relation are the same, skipping clone for relation: ' ~ this.render()) -%}
    {{ return({'relations': []}) }}
  {%- endif -%}
  {{ return(materialization_clone_default()) }}
{% endmaterialization %}
