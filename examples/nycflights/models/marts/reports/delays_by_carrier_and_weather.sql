with flights as (

    select * from {{ ref('fct_flights') }}

),

airlines as (

    select * from {{ ref('stg_airlines') }}

),

grouped as (

    select
        carrier,
        weather_condition,
        count(*) as flights,
        {{ share('is_cancelled') }} as cancelled_share,
        {{ share('departure_delay >= 15', of='departure_delay') }} as late_departure_share,
        round(avg(departure_delay), 1) as avg_departure_delay,
        round(avg(arrival_delay), 1) as avg_arrival_delay
    from flights
    group by carrier, weather_condition

)

select
    grouped.carrier,
    airlines.carrier_name,
    grouped.weather_condition,
    grouped.flights,
    grouped.cancelled_share,
    grouped.late_departure_share,
    grouped.avg_departure_delay,
    grouped.avg_arrival_delay,
    -- What the weather adds to the delay that the carrier has anyway; an average of a few flights
    -- says nothing.
    case
        when grouped.flights >= 100
            then round(
                grouped.avg_departure_delay
                - max(if(grouped.weather_condition = 'calm', grouped.avg_departure_delay, null))
                    over (partition by grouped.carrier),
                1
            )
    end as delay_added_by_weather
from grouped
inner join airlines on grouped.carrier = airlines.carrier
