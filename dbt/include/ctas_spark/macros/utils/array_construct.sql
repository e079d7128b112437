{#- An empty array has the type that is asked for, too. -#}
{% macro ctas_spark__array_construct(inputs, data_type) -%}
  {%- if inputs -%}
    array({{ inputs | join(', ') }})
  {%- else -%}
    cast(array() as array<{{ data_type }}>)
  {%- endif -%}
{%- endmacro %}
