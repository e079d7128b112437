with flights as (

    select * from {{ ref('fct_flights') }}

),

grouped as (

    select
        month,
        weather_condition,
        count(*) as flights,
        count_if(is_cancelled) as cancelled_flights,
        {{ share('is_cancelled') }} as cancelled_share
    from flights
    group by month, weather_condition

)

select
    *,
    round(cancelled_flights / sum(cancelled_flights) over (partition by month), 4)
        as share_of_month_cancellations
from grouped
