with airports as (

    select * from {{ ref('airports') }}
    union all
    select * from {{ ref('airports_added') }}

)

select
    faa as airport,
    -- Some apostrophes come with backslashes: Martha\\'s Vineyard
    replace(name, '\\', '') as airport_name,
    lat as latitude,
    lon as longitude,
    alt as altitude_feet,
    tz as standard_utc_offset,
    dst = 'A' as observes_dst
from airports
