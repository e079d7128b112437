{% macro comment_columns(staged, columns) %}
  {%- for sql in adapter.column_comments_sql(staged, columns) -%}
    {%- call statement() -%}{{ sql }}{%- endcall -%}
  {%- endfor -%}
{% endmacro %}
