{#- A timestamp. Clock parts are added to the instant, and calendar parts to the date as it is in the
    session's time zone. dbt-spark's multiplies only the end of an expression, and counts a
    millisecond as a microsecond. -#}
{% macro ctas_spark__dateadd(datepart, interval, from_date_or_timestamp) -%}
  {%- set part = datepart | lower -%}
  {%- set micros = {
    'microsecond': 1,
    'millisecond': 1000,
    'second': 1000000,
    'minute': 60000000,
    'hour': 3600000000,
  } -%}
  {%- set of_calendar = ['day', 'week', 'month', 'quarter', 'year'] -%}
  {%- set from = 'cast(' ~ from_date_or_timestamp ~ ' as timestamp)' -%}
  {%- if part in micros -%}
    timestamp_micros(unix_micros({{ from }}) + cast(({{ interval }}) * {{ micros[part] }} as bigint))
  {%- elif part in of_calendar -%}
    timestampadd({{ part }}, cast({{ interval }} as int), {{ from }})
  {%- else -%}
    {%- do exceptions.raise_compiler_error('dateadd: ' ~ datepart ~ ' is not one of ' ~ (micros.keys() | list + of_calendar) | join(', ')) -%}
  {%- endif -%}
{%- endmacro %}
