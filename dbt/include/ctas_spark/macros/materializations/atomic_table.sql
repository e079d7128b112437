{% materialization atomic_table, adapter='ctas_spark', supported_languages=['sql', 'python'] %}
  {{ return(ctas_publish_staged_table()) }}
{% endmaterialization %}
