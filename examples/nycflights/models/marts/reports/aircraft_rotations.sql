{{ config(tblproperties={'data_owner': 'network-analytics'}) }}

with departures as (

    select
        flight_id,
        flight_date,
        month,
        tail_number,
        carrier,
        origin,
        destination,
        scheduled_departure_at,
        timestampadd(minute, departure_delay, scheduled_departure_at) as departed_at,
        departure_delay,
        arrival_delay
    from {{ ref('fct_flights') }}
    where tail_number is not null and not is_cancelled

),

chained as (

    select
        *,
        row_number() over rotation as leg_number,
        lag(flight_id) over rotation as previous_flight_id,
        lag(departed_at) over rotation as previous_departed_at,
        lag(arrival_delay) over rotation as previous_arrival_delay
    from departures
    window rotation as (
        partition by tail_number, flight_date
        -- As flown: late aircraft are swapped, so the schedule has the legs in another order.
        order by departed_at, flight_id
    )

)

select
    flight_id,
    flight_date,
    month,
    tail_number,
    carrier,
    origin,
    destination,
    leg_number,
    previous_flight_id,
    departed_at,
    timestampdiff(minute, previous_departed_at, departed_at) as minutes_since_previous_departure,
    previous_arrival_delay,
    departure_delay,
    -- No more can be handed on than came in, and no more than the aircraft then left late.
    case
        when previous_arrival_delay > 0 and departure_delay > 0
            then least(previous_arrival_delay, departure_delay)
        else 0
    end as knock_on_minutes,
    coalesce(previous_arrival_delay >= 15 and departure_delay >= 15, false) as is_knock_on
from chained
