-- Every report that slices all flights must add up to the same total.
with expected as (

    select count(*) as flights from {{ ref('fct_flights') }}

),

reported as (

    {% for report in [
        'carrier_on_time_ranking',
        'cancellations_by_weather',
        'daily_performance',
        'delays_by_carrier_and_weather',
        'departure_hours',
        'airport_delays_by_season',
        'busiest_routes',
    ] %}
    select '{{ report }}' as report, sum(flights) as flights from {{ ref(report) }}
    {% if not loop.last %}union all{% endif %}
    {% endfor %}

)

select
    reported.report,
    reported.flights,
    expected.flights as expected_flights
from reported
cross join expected
where not reported.flights <=> expected.flights
