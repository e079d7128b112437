{#- The same as atomic_table: a project of dbt-spark's becomes atomic by its profile alone. -#}
{% materialization table, adapter='ctas_spark', supported_languages=['sql', 'python'] %}
  {{ return(ctas_publish_staged_table()) }}
{% endmaterialization %}
