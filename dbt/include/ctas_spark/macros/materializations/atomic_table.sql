{% materialization atomic_table, adapter='ctas_spark', supported_languages=['sql'] %}
  {{ return(publish_staged_table()) }}
{% endmaterialization %}
