{% test between(model, column_name, minimum, maximum) %}

select {{ column_name }}
from {{ model }}
where {{ column_name }} not between {{ minimum }} and {{ maximum }}

{% endtest %}
