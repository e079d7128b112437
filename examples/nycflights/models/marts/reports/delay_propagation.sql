with legs as (

    select * from {{ ref('aircraft_rotations') }}

)

select
    -- Hardly any aircraft leaves New York more than four times a day.
    least(leg_number, 4) as leg_number,
    count(*) as flights,
    round(avg(departure_delay), 1) as avg_departure_delay,
    {{ share('departure_delay >= 15') }} as late_departure_share,
    {{ share('is_knock_on') }} as knock_on_share,
    round(count_if(is_knock_on) / nullif(count_if(departure_delay >= 15), 0), 4)
        as knock_on_share_of_late,
    sum(knock_on_minutes) as knock_on_minutes
from legs
group by least(leg_number, 4)
