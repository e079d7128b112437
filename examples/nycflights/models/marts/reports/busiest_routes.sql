with flights as (

    select * from {{ ref('fct_flights') }}

),

airports as (

    select * from {{ ref('stg_airports') }}

),

by_route as (

    select
        origin,
        destination,
        count(*) as flights,
        count(distinct carrier) as carriers,
        mode(carrier, true) as largest_carrier,
        max(distance_miles) as distance_miles,
        {{ share('is_on_time') }} as on_time_share,
        round(avg(arrival_delay), 1) as avg_arrival_delay
    from flights
    group by origin, destination

)

select
    rank() over (order by by_route.flights desc) as route_rank,
    concat(by_route.origin, '-', by_route.destination) as route,
    by_route.origin,
    by_route.destination,
    airports.airport_name as destination_name,
    by_route.flights,
    round(by_route.flights / sum(by_route.flights) over (partition by by_route.origin), 4)
        as share_of_origin,
    by_route.carriers,
    by_route.largest_carrier,
    by_route.distance_miles,
    by_route.on_time_share,
    by_route.avg_arrival_delay
from by_route
left join airports on by_route.destination = airports.airport
