with revenue as (
    select
        l_suppkey as supplier_no,
        sum(l_extendedprice * (1 - l_discount)) as total_revenue
    from {lineitem}
    where l_shipdate >= date '1996-01-01' and l_shipdate < date '1996-04-01'
    group by l_suppkey
)

select s_suppkey, s_name, s_address, s_phone, total_revenue
from {supplier}
inner join revenue on supplier_no = s_suppkey
where total_revenue = (select max(total_revenue) from revenue)
order by s_suppkey
