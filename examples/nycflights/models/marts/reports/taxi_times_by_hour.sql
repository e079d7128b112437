with flights as (

    select * from {{ ref('fct_flights') }}
    where taxi_minutes is not null

),

by_hour as (

    select
        origin,
        departure_hour,
        count(*) as flights,
        round(avg(taxi_minutes), 1) as avg_taxi_minutes,
        round(percentile(taxi_minutes, 0.9), 1) as p90_taxi_minutes
    from flights
    group by origin, departure_hour

)

select
    *,
    round(avg_taxi_minutes - min(avg_taxi_minutes) over (partition by origin), 1)
        as minutes_above_best_hour
from by_hour
