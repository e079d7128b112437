select s_name, count(*) as numwait
from {supplier}
inner join {lineitem} as late on late.l_suppkey = s_suppkey
inner join {orders} on o_orderkey = late.l_orderkey
inner join {nation} on n_nationkey = s_nationkey
where
    n_name = 'SAUDI ARABIA'
    and o_orderstatus = 'F'
    and late.l_receiptdate > late.l_commitdate
    and exists (
        select 1
        from {lineitem} as other
        where other.l_orderkey = late.l_orderkey and other.l_suppkey <> late.l_suppkey
    )
    and not exists (
        select 1
        from {lineitem} as also_late
        where
            also_late.l_orderkey = late.l_orderkey
            and also_late.l_suppkey <> late.l_suppkey
            and also_late.l_receiptdate > also_late.l_commitdate
    )
group by s_name
order by numwait desc, s_name
limit 100
