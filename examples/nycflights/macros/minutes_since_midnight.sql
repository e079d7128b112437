{% macro minutes_since_midnight(clock_time) -%}
  {# 1735 stands for 17:35 #}
  (({{ clock_time }} div 100) * 60 + {{ clock_time }} % 100)
{%- endmacro %}
