with flights as (

    select * from {{ ref('fct_flights') }}

),

airlines as (

    select * from {{ ref('stg_airlines') }}

),

by_carrier as (

    select
        carrier,
        count(*) as flights,
        count_if(is_cancelled) as cancelled_flights,
        count_if(is_diverted) as diverted_flights,
        {{ share('is_on_time') }} as on_time_share,
        round(avg(arrival_delay), 1) as avg_arrival_delay,
        round(percentile(arrival_delay, 0.9), 1) as p90_arrival_delay
    from flights
    group by carrier

)

select
    -- Below three flights a day, the share says more of one route than of the carrier.
    case
        when by_carrier.flights >= 1000
            then rank() over (
                partition by by_carrier.flights >= 1000 order by by_carrier.on_time_share desc
            )
    end as on_time_rank,
    by_carrier.carrier,
    airlines.carrier_name,
    by_carrier.flights,
    by_carrier.cancelled_flights,
    by_carrier.diverted_flights,
    by_carrier.on_time_share,
    by_carrier.avg_arrival_delay,
    by_carrier.p90_arrival_delay
from by_carrier
inner join airlines on by_carrier.carrier = airlines.carrier
