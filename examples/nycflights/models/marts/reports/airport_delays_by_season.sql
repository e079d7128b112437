with flights as (

    select * from {{ ref('fct_flights') }}

),

dates as (

    select * from {{ ref('dim_dates') }}

),

grouped as (

    select
        flights.origin,
        dates.season,
        count(*) as flights,
        {{ share('flights.is_cancelled') }} as cancelled_share,
        {{ share("flights.weather_condition not in ('calm', 'unknown')") }} as bad_weather_share,
        round(avg(flights.departure_delay), 1) as avg_departure_delay,
        round(avg(flights.arrival_delay), 1) as avg_arrival_delay
    from flights
    inner join dates on flights.flight_date = dates.date_day
    group by flights.origin, dates.season

)

select
    *,
    rank() over (partition by season order by avg_departure_delay desc) as worst_airport_rank
from grouped
