{#- In the order that is asked for: Spark has LISTAGG since 4.0. Its own order is by the value, so
    where there is none, or for an older Spark, dbt-spark's, which makes an empty text of no values. -#}
{% macro ctas_spark__listagg(measure, delimiter_text, order_by_clause, limit_num) -%}
  {%- if not order_by_clause or not adapter.has_listagg() -%}
    {%- set joined = spark__listagg(measure, delimiter_text, order_by_clause, limit_num) | trim -%}
    {{ return("case when count(" ~ measure ~ ") > 0 then " ~ joined ~ " end") }}
  {%- endif -%}
  {%- if not limit_num -%}
    {{ return("listagg(" ~ measure ~ ", " ~ delimiter_text ~ ") within group (" ~ order_by_clause ~ ")") }}
  {%- endif -%}
  {#- a character that no text has keeps the values apart until they are counted -#}
  {%- set all = "listagg(" ~ measure ~ ", char(0)) within group (" ~ order_by_clause ~ ")" -%}
  {{ return("array_join(slice(split(" ~ all ~ ", char(0)), 1, " ~ limit_num ~ "), " ~ delimiter_text ~ ")") }}
{%- endmacro %}
