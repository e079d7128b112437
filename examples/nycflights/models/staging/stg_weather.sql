with weather as (

    select * from {{ source('nycflights_raw', 'weather') }}

),

corrected as (

    select
        origin as airport,
        time_hour as observed_hour_at,
        month,
        hour as local_hour,
        temp as temperature_f,
        dewp as dew_point_f,
        humid as relative_humidity,
        wind_dir as wind_direction,
        -- A gauge reported 1,048 mph on 12 February.
        case when wind_speed < 200 then wind_speed end as wind_speed_mph,
        wind_gust as wind_gust_mph,
        precip as precipitation_inches,
        pressure as pressure_millibars,
        visib as visibility_miles
    from weather

)

select
    *,
    -- From the worst to the mildest: an hour counts as the first that applies.
    case
        when precipitation_inches > 0 and temperature_f <= 33 then 'snow or ice'
        when precipitation_inches >= 0.1 then 'heavy rain'
        when visibility_miles < 1 then 'fog'
        when precipitation_inches > 0 then 'light rain'
        when wind_speed_mph >= 25 or wind_gust_mph >= 35 then 'strong wind'
        else 'calm'
    end as weather_condition
from corrected
