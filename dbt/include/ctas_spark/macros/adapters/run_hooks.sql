{#- In place of dbt's own, which no dispatch finds: a hook may have several statements. Spark has no
    transactions, so that all hooks run in the one call that every materialization makes. -#}
{% macro run_hooks(hooks, inside_transaction=True) %}
  {%- for hook in hooks if inside_transaction -%}
    {%- for one in adapter.statements_of(render(hook.get('sql'))) -%}
      {%- call statement() -%}{{ one }}{%- endcall -%}
    {%- endfor -%}
  {%- endfor -%}
{% endmacro %}
