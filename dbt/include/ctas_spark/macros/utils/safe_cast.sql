{#- NULL for a value that does not fit; in ANSI mode, which is Spark 4's default, a CAST fails. A
    struct, array or map that is written as a text is SQL, as in dbt-spark. -#}
{% macro ctas_spark__safe_cast(field, type) -%}
  {%- set is_sql = field is string and cast_from_string_unsupported_for(type) -%}
  try_cast({{ field.strip('"').strip("'") if is_sql else field }} as {{ type }})
{%- endmacro %}
