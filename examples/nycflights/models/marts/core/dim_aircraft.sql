{{ config(file_format='orc') }}

with planes as (

    select * from {{ ref('stg_planes') }}

),

usage as (

    select
        tail_number,
        count(*) as flights,
        count(distinct carrier) as carriers,
        min(flight_date) as first_flight_date,
        max(flight_date) as last_flight_date,
        sum(distance_miles) as miles_flown
    from {{ ref('stg_flights') }}
    where not is_cancelled
    group by tail_number

)

select
    planes.tail_number,
    planes.manufactured_year,
    2013 - planes.manufactured_year as age_years,
    planes.aircraft_type,
    planes.manufacturer,
    planes.model,
    planes.engines,
    planes.engine_type,
    planes.seats,
    coalesce(usage.flights, 0) as flights,
    coalesce(usage.carriers, 0) as carriers,
    usage.first_flight_date,
    usage.last_flight_date,
    coalesce(usage.miles_flown, 0) as miles_flown
from planes
left join usage on planes.tail_number = usage.tail_number
