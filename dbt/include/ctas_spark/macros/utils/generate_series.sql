{#- Whole numbers: in dbt's default they are sums of powers, which are doubles in Spark. -#}
{% macro ctas_spark__generate_series(upper_bound) -%}
  {%- if upper_bound <= 0 -%}
    {%- do exceptions.raise_compiler_error('upper bound must be positive') -%}
  {%- endif -%}
  select id as generated_number from range(1, {{ upper_bound }} + 1)
{%- endmacro %}
