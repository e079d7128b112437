-- Read by whoever looks into a bad load, not by dashboards: no reader needs to be kept from a
-- half-written table, and after a failure the checks that were written are worth having.
{{ config(atomicity='none') }}

with flights as (

    select * from {{ ref('fct_flights') }}

),

aircraft as (

    select tail_number, manufactured_year from {{ ref('dim_aircraft') }}

),

checked as (

    select
        flights.tail_number is null as has_no_tail_number,
        flights.tail_number is not null and aircraft.tail_number is null as has_unknown_aircraft,
        aircraft.tail_number is not null and aircraft.manufactured_year is null as has_unknown_age,
        flights.weather_condition = 'unknown' as has_no_weather,
        flights.is_diverted as has_no_arrival
    from flights
    left join aircraft on flights.tail_number = aircraft.tail_number

),

counted as (

    select
        count(*) as flights,
        stack(
            5,
            'no tail number', count_if(has_no_tail_number),
            'unknown aircraft', count_if(has_unknown_aircraft),
            'unknown aircraft age', count_if(has_unknown_age),
            'no weather', count_if(has_no_weather),
            'no arrival', count_if(has_no_arrival)
        ) as (gap, affected_flights)
    from checked

)

select
    gap,
    affected_flights,
    flights,
    round(affected_flights / flights, 4) as affected_share
from counted
