{#- How many borders of the part lie between two dates, weeks beginning on Sunday. dbt-spark's says
    the same in so many words that a view with seven of them does not fit into a metastore.
    A time zone may be half an hour off, so borders of hours are no whole hours since 1970. -#}
{% macro ctas_spark__datediff(first_date, second_date, datepart) -%}
  {%- set counts = {
    'microsecond': 'unix_micros({})',
    'millisecond': 'unix_millis({})',
    'second': 'unix_seconds({})',
    'minute': "unix_seconds(date_trunc('MINUTE', {}))",
    'hour': "unix_seconds(date_trunc('HOUR', {}))",
    'day': 'unix_date(to_date({}))',
    'week': "((unix_date(trunc(date_add({}, 1), 'WEEK')) - 4) div 7)",
    'month': '(year({0}) * 12 + month({0}))',
    'quarter': '(year({0}) * 4 + quarter({0}))',
    'year': 'year({})',
  } -%}
  {%- set part = datepart | lower -%}
  {%- if part not in counts -%}
    {%- do exceptions.raise_compiler_error('datediff: ' ~ datepart ~ ' is not one of ' ~ counts | join(', ')) -%}
  {%- endif -%}
  {%- set count = counts[part] -%}
  {%- set seconds = {'minute': 60, 'hour': 3600} -%}
  {%- set difference -%}
  ({{ count.format('cast(' ~ second_date ~ ' as timestamp)') }}
   - {{ count.format('cast(' ~ first_date ~ ' as timestamp)') }})
  {%- endset -%}
  {{ 'cast(round(' ~ difference ~ ' / ' ~ seconds[part] ~ ') as bigint)' if part in seconds else difference }}
{%- endmacro %}
