with profits as (
    select
        n_name as nation,
        extract(year from o_orderdate) as o_year,
        l_extendedprice * (1 - l_discount) - ps_supplycost * l_quantity as amount
    from {part}
    inner join {lineitem} on l_partkey = p_partkey
    inner join {partsupp} on ps_partkey = l_partkey and ps_suppkey = l_suppkey
    inner join {supplier} on s_suppkey = l_suppkey
    inner join {orders} on o_orderkey = l_orderkey
    inner join {nation} on n_nationkey = s_nationkey
    where p_name like '%green%'
)

select nation, o_year, sum(amount) as sum_profit
from profits
group by nation, o_year
order by nation, o_year desc
