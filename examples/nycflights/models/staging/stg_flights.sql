with flights as (

    select * from {{ source('nycflights_raw', 'flights') }}

),

dated as (

    select
        *,
        make_date(year, month, day) as flight_date,
        -- From the epoch, because a timestamp's hour depends on the time zone of the session.
        unix_seconds(time_hour) div 3600 % 24 as utc_hour
    from flights

)

select
    concat_ws('-', concat(carrier, flight), origin, flight_date) as flight_id,
    flight_date,
    month,
    hour as departure_hour,
    time_hour as departure_hour_at,
    timestampadd(minute, minute, time_hour) as scheduled_departure_at,
    carrier,
    flight as flight_number,
    tailnum as tail_number,
    origin,
    dest as destination,
    distance as distance_miles,
    {{ minutes_since_midnight('dep_time') }} as departure_minute_of_day,
    {{ minutes_since_midnight('arr_time') }} as arrival_minute_of_day,
    dep_delay as departure_delay,
    arr_delay as arrival_delay,
    air_time as air_time_minutes,
    cast(pmod(hour - utc_hour + 12, 24) - 12 as int) as origin_utc_offset,
    dep_delay is null as is_cancelled,
    -- The source gives a flight that landed elsewhere, or came back, no arrival delay.
    dep_delay is not null and arr_delay is null as is_diverted,
    coalesce(arr_delay < 15, false) as is_on_time
from dated
