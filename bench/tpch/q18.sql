select
    c_name,
    c_custkey,
    o_orderkey,
    o_orderdate,
    o_totalprice,
    sum(l_quantity) as total_quantity
from {customer}
inner join {orders} on o_custkey = c_custkey
inner join {lineitem} on l_orderkey = o_orderkey
where
    o_orderkey in (
        select l_orderkey
        from {lineitem}
        group by l_orderkey
        having sum(l_quantity) > 300
    )
group by c_name, c_custkey, o_orderkey, o_orderdate, o_totalprice
order by o_totalprice desc, o_orderdate
limit 100
