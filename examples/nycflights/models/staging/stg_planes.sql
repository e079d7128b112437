select
    tailnum as tail_number,
    year as manufactured_year,
    type as aircraft_type,
    case
        when manufacturer like 'AIRBUS%' then 'AIRBUS'
        when manufacturer like 'MCDONNELL DOUGLAS%' then 'MCDONNELL DOUGLAS'
        when manufacturer like 'CANADAIR%' then 'CANADAIR'
        else manufacturer
    end as manufacturer,
    model,
    engines,
    seats,
    engine as engine_type
from {{ ref('planes') }}
