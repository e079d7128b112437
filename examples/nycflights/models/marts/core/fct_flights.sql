{{
    config(
        partition_by=['month'],
        tblproperties={'data_owner': 'network-analytics', 'data_license': 'CC0-1.0'},
    )
}}

with flights as (

    select * from {{ ref('stg_flights') }}

),

weather as (

    select * from {{ ref('stg_weather') }}

),

airports as (

    select * from {{ ref('stg_airports') }}

),

joined as (

    select
        flights.*,
        weather.weather_condition,
        weather.temperature_f,
        weather.wind_speed_mph,
        weather.precipitation_inches,
        weather.visibility_miles,
        -- Daylight saving moves the destination only where it is observed.
        airports.standard_utc_offset
        + if(airports.observes_dst, flights.origin_utc_offset + 5, 0) as destination_utc_offset
    from flights
    left join weather
        on
            flights.origin = weather.airport
            and flights.departure_hour_at = weather.observed_hour_at
    left join airports on flights.destination = airports.airport

),

timed as (

    select
        *,
        pmod(
            arrival_minute_of_day
            - departure_minute_of_day
            - (destination_utc_offset - origin_utc_offset) * 60,
            24 * 60
        ) as gate_to_gate_minutes
    from joined

)

select
    flight_id,
    flight_date,
    departure_hour,
    scheduled_departure_at,
    carrier,
    flight_number,
    tail_number,
    origin,
    destination,
    distance_miles,
    departure_delay,
    arrival_delay,
    air_time_minutes,
    gate_to_gate_minutes - air_time_minutes as taxi_minutes,
    is_cancelled,
    is_diverted,
    is_on_time,
    coalesce(weather_condition, 'unknown') as weather_condition,
    temperature_f,
    wind_speed_mph,
    precipitation_inches,
    visibility_miles,
    month
from timed
