"""What is asked of the example's tables."""

DASHBOARD = {
    "carrier_on_time_ranking": (
        "select on_time_rank, carrier_name, flights, on_time_share"
        " from nycflights.carrier_on_time_ranking order by flights desc"
    ),
    "departure_hours": (
        "select is_weekend, departure_hour, flights, avg_departure_delay"
        " from nycflights.departure_hours order by is_weekend, departure_hour"
    ),
    "airport_delays_by_season": (
        "select season, origin, flights, avg_departure_delay"
        " from nycflights.airport_delays_by_season order by season, origin"
    ),
    "daily_performance": (
        "select flight_date, flights, on_time_share"
        " from nycflights.daily_performance order by flight_date"
    ),
}
"""The tables of the exposure ``on_time_report``, which is read at any time of the day."""

FINDINGS = {
    "Which carrier is reliable? Those with 1,000 flights or more:": (
        "select on_time_rank as rank, carrier_name, flights,"
        " round(100 * on_time_share, 1) as on_time_percent, avg_arrival_delay"
        " from nycflights.carrier_on_time_ranking"
        " where on_time_rank is not null order by on_time_rank"
    ),
    "Which hours are the worst to fly, on a weekday?": (
        "select departure_hour as hour, flights, avg_departure_delay,"
        " round(100 * late_departure_share, 1) as late_percent"
        " from nycflights.departure_hours where not is_weekend order by worst_hour_rank limit 5"
    ),
    "Which days went wrong?": (
        "select flight_date, day_name, flights, cancelled_flights,"
        " round(100 * on_time_share, 1) as on_time_percent, avg_departure_delay"
        " from nycflights.daily_performance order by worst_day_rank limit 5"
    ),
}
