{#- Spark's own: RETURN and the body, where dbt's default has a text in $$. -#}
{% macro ctas_spark__scalar_function_sql(target_relation) %}
    {{ scalar_function_create_replace_signature_sql(target_relation) }}
    {{ scalar_function_body_sql() }}
{% endmacro %}

{% macro ctas_spark__scalar_function_create_replace_signature_sql(target_relation) %}
    {%- if adapter.is_preview() -%}{%- do adapter.temporary_objects.shadow_function(target_relation) -%}{%- endif %}
    CREATE OR REPLACE {{ 'TEMPORARY ' if adapter.is_preview() }}FUNCTION {{ target_relation.render() }} ({{ formatted_scalar_function_args_sql() }})
    RETURNS {{ model.returns.data_type }}
    {{ scalar_function_volatility_sql() }}
{% endmacro %}

{% macro ctas_spark__formatted_scalar_function_args_sql() %}
    {%- set args = [] -%}
    {%- for arg in model.arguments -%}
        {%- set has_default = arg.default_value is defined and arg.default_value is not none -%}
        {%- set value = ' DEFAULT ' ~ arg.default_value if has_default else '' -%}
        {%- do args.append(adapter.quote(arg.name) ~ ' ' ~ arg.data_type ~ value) -%}
    {%- endfor -%}
    {{ args | join(', ') }}
{% endmacro %}

{% macro ctas_spark__scalar_function_body_sql() %}
    RETURN {{ model.compiled_code }}
{% endmacro %}

{#- Spark knows no function that is stable within a statement. -#}
{% macro ctas_spark__scalar_function_volatility_sql() %}
    {%- set volatility = model.config.get('volatility') -%}
    {%- if volatility == 'deterministic' -%}
        DETERMINISTIC
    {%- elif volatility == 'non-deterministic' -%}
        NOT DETERMINISTIC
    {%- elif volatility is not none -%}
        {%- do unsupported_volatility_warning(volatility) -%}
    {%- endif -%}
{% endmacro %}
