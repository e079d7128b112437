with flights as (

    select * from {{ ref('fct_flights') }}

),

dates as (

    select * from {{ ref('dim_dates') }}

),

by_hour as (

    select
        dates.is_weekend,
        flights.departure_hour,
        count(*) as flights,
        {{ share('flights.is_cancelled') }} as cancelled_share,
        {{ share('flights.departure_delay >= 15', of='flights.departure_delay') }}
            as late_departure_share,
        round(avg(flights.departure_delay), 1) as avg_departure_delay,
        round(percentile(flights.departure_delay, 0.9), 1) as p90_departure_delay
    from flights
    inner join dates on flights.flight_date = dates.date_day
    group by dates.is_weekend, flights.departure_hour

)

select
    *,
    case
        when flights >= 100
            then rank() over (
                partition by is_weekend, flights >= 100 order by avg_departure_delay desc
            )
    end as worst_hour_rank
from by_hour
