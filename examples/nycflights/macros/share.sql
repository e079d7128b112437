{% macro share(condition, of="*") -%}
  {# The share of rows (or of the non-null values of a column) for which the condition holds #}
  round(count_if({{ condition }}) / nullif(count({{ of }}), 0), 4)
{%- endmacro %}
