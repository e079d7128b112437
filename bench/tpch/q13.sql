with customers as (
    select c_custkey, count(o_orderkey) as c_count
    from {customer}
    left outer join {orders}
        on o_custkey = c_custkey and o_comment not like '%special%requests%'
    group by c_custkey
)

select c_count, count(*) as custdist
from customers
group by c_count
order by custdist desc, c_count desc
