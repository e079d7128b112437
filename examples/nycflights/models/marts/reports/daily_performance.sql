with flights as (

    select * from {{ ref('fct_flights') }}

),

dates as (

    select * from {{ ref('dim_dates') }}

),

by_day as (

    select
        flight_date,
        count(*) as flights,
        count_if(is_cancelled) as cancelled_flights,
        {{ share('is_on_time') }} as on_time_share,
        round(avg(departure_delay), 1) as avg_departure_delay,
        max(precipitation_inches) as max_precipitation_inches,
        min(visibility_miles) as min_visibility_miles
    from flights
    group by flight_date

)

select
    by_day.flight_date,
    dates.month,
    dates.day_name,
    dates.holiday_name,
    by_day.flights,
    by_day.cancelled_flights,
    by_day.on_time_share,
    by_day.avg_departure_delay,
    round(
        avg(by_day.on_time_share) over (
            order by by_day.flight_date rows between 6 preceding and current row
        ),
        4
    ) as on_time_share_7_days,
    rank() over (order by by_day.on_time_share) as worst_day_rank,
    by_day.max_precipitation_inches,
    by_day.min_visibility_miles
from by_day
inner join dates on by_day.flight_date = dates.date_day
