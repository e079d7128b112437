with shipped as (
    select
        l_partkey,
        l_suppkey,
        0.5 * sum(l_quantity) as half_quantity
    from {lineitem}
    where l_shipdate >= date '1994-01-01' and l_shipdate < date '1995-01-01'
    group by l_partkey, l_suppkey
)

select s_name, s_address
from {supplier}
inner join {nation} on n_nationkey = s_nationkey
where
    n_name = 'CANADA'
    and s_suppkey in (
        select ps_suppkey
        from {partsupp}
        inner join shipped on l_partkey = ps_partkey and l_suppkey = ps_suppkey
        where
            ps_availqty > half_quantity
            and ps_partkey in (select p_partkey from {part} where p_name like 'forest%')
    )
order by s_name
