{#- dbt-spark's takes the delimiter for a regular expression, and escapes its first letter. A part 0 is
    the first one, as there; a part that the text does not have is empty, as in other databases. -#}
{% macro ctas_spark__split_part(string_text, delimiter_text, part_number) -%}
  split_part({{ string_text }}, {{ delimiter_text }}, {{ part_number or 1 }})
{%- endmacro %}
