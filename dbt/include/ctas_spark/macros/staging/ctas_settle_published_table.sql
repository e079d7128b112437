{#- What follows the commit: dbt's cache, then grants. A failure here undoes nothing. -#}
{% macro ctas_settle_published_table(target, existing) %}
  {%- if existing is not none -%}
    {%- do adapter.cache_dropped(existing) -%}
  {%- endif -%}
  {%- set should_revoke = should_revoke(existing, full_refresh_mode=True) -%}
  {%- do apply_grants(target, config.get('grants'), should_revoke) -%}
{% endmacro %}
