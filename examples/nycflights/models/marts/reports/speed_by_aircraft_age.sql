with flights as (

    select * from {{ ref('fct_flights') }}
    where air_time_minutes is not null

),

aircraft as (

    select * from {{ ref('dim_aircraft') }}
    where age_years is not null

),

banded as (

    select
        flights.tail_number,
        flights.distance_miles,
        flights.air_time_minutes,
        aircraft.seats,
        case
            when aircraft.age_years < 5 then '00-04'
            when aircraft.age_years < 10 then '05-09'
            when aircraft.age_years < 15 then '10-14'
            when aircraft.age_years < 20 then '15-19'
            when aircraft.age_years < 25 then '20-24'
            else '25+'
        end as age_band,
        -- Long flights are faster, and old aircraft fly shorter ones: compare like with like.
        case
            when flights.distance_miles < 500 then 'short'
            when flights.distance_miles < 1500 then 'medium'
            else 'long'
        end as haul
    from flights
    inner join aircraft on flights.tail_number = aircraft.tail_number

)

select
    haul,
    age_band,
    count(*) as flights,
    count(distinct tail_number) as aircraft,
    round(avg(seats), 1) as avg_seats,
    round(avg(distance_miles), 1) as avg_distance_miles,
    round(sum(distance_miles) / sum(air_time_minutes) * 60, 1) as avg_speed_mph
from banded
group by haul, age_band
