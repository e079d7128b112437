{#- Spark gives NULL for a part that it does not know. -#}
{% macro ctas_spark__date_trunc(datepart, date) -%}
  {%- set known = ['microsecond', 'millisecond', 'second', 'minute', 'hour', 'day', 'dd', 'week',
    'month', 'mon', 'mm', 'quarter', 'year', 'yy', 'yyyy'] -%}
  {%- if datepart | lower not in known -%}
    {%- do exceptions.raise_compiler_error('date_trunc: ' ~ datepart ~ ' is not one of ' ~ known | join(', ')) -%}
  {%- endif -%}
  date_trunc('{{ datepart }}', {{ date }})
{%- endmacro %}
