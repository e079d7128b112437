-- A calendar does not change from run to run: it is kept as it is until a --full-refresh.
{{ config(staging_purpose='create_if_not_exists') }}

with dates as (

    select explode(sequence(date '2013-01-01', date '2013-12-31', interval 1 day)) as date_day

),

holidays as (

    select * from values
        (date '2013-01-01', "New Year's Day"),
        (date '2013-01-21', 'Martin Luther King Jr. Day'),
        (date '2013-02-18', "Washington's Birthday"),
        (date '2013-05-27', 'Memorial Day'),
        (date '2013-07-04', 'Independence Day'),
        (date '2013-09-02', 'Labor Day'),
        (date '2013-10-14', 'Columbus Day'),
        (date '2013-11-11', 'Veterans Day'),
        (date '2013-11-28', 'Thanksgiving'),
        (date '2013-12-25', 'Christmas Day')
        as holidays (date_day, holiday_name)

)

select
    dates.date_day,
    year(dates.date_day) as year,
    quarter(dates.date_day) as quarter,
    month(dates.date_day) as month,
    date_format(dates.date_day, 'MMMM') as month_name,
    weekofyear(dates.date_day) as iso_week,
    weekday(dates.date_day) + 1 as iso_day_of_week,
    date_format(dates.date_day, 'EEEE') as day_name,
    weekday(dates.date_day) >= 5 as is_weekend,
    case
        when month(dates.date_day) in (12, 1, 2) then 'winter'
        when month(dates.date_day) in (3, 4, 5) then 'spring'
        when month(dates.date_day) in (6, 7, 8) then 'summer'
        else 'autumn'
    end as season,
    holidays.holiday_name
from dates
left join holidays on dates.date_day = holidays.date_day
