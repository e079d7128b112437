{#- How many borders of the part lie between two dates, weeks beginning on Sunday. dbt-spark's says
    the same in so many words that a view with seven of them does not fit into a metastore. -#}
{% macro ctas_spark__datediff(first_date, second_date, datepart) -%}
  {%- set counts = {
    'microsecond': 'unix_micros({})',
    'millisecond': 'unix_millis({})',
    'second': 'unix_seconds({})',
    'minute': "(unix_seconds(date_trunc('MINUTE', {})) div 60)",
    'hour': "(unix_seconds(date_trunc('HOUR', {})) div 3600)",
    'day': 'unix_date(to_date({}))',
    'week': "((unix_date(trunc(date_add({}, 1), 'WEEK')) - 4) div 7)",
    'month': '(year({0}) * 12 + month({0}))',
    'quarter': '(year({0}) * 4 + quarter({0}))',
    'year': 'year({})',
  } -%}
  {%- if datepart not in counts -%}
    {%- do exceptions.raise_compiler_error('datediff: ' ~ datepart ~ ' is not one of ' ~ counts | join(', ')) -%}
  {%- endif -%}
  {%- set count = counts[datepart] -%}
  ({{ count.format('cast(' ~ second_date ~ ' as timestamp)') }}
   - {{ count.format('cast(' ~ first_date ~ ' as timestamp)') }})
{%- endmacro %}
