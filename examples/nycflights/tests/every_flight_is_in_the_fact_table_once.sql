-- The joins of fct_flights must neither drop nor multiply flights, in any month.
with raw_flights as (

    select month, count(*) as flights
    from {{ source('nycflights_raw', 'flights') }}
    group by month

),

fact_flights as (

    select month, count(*) as flights
    from {{ ref('fct_flights') }}
    group by month

)

select
    month,
    raw_flights.flights as raw_flights,
    fact_flights.flights as fact_flights
from raw_flights
full outer join fact_flights using (month)
where not raw_flights.flights <=> fact_flights.flights
