select flight_id
from {{ ref('fct_flights') }}
where
    is_cancelled
    and (
        arrival_delay is not null
        or air_time_minutes is not null
        or is_diverted
        or is_on_time
    )
