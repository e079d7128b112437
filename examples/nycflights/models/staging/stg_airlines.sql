select
    carrier,
    name as carrier_name
from {{ ref('airlines') }}
