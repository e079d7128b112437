select
    n_name,
    sum(l_extendedprice * (1 - l_discount)) as revenue
from {customer}
inner join {orders} on o_custkey = c_custkey
inner join {lineitem} on l_orderkey = o_orderkey
inner join {supplier} on s_suppkey = l_suppkey and s_nationkey = c_nationkey
inner join {nation} on n_nationkey = s_nationkey
inner join {region} on r_regionkey = n_regionkey
where
    r_name = 'ASIA'
    and o_orderdate >= date '1994-01-01'
    and o_orderdate < date '1995-01-01'
group by n_name
order by revenue desc
