with offers as (
    select *
    from {partsupp}
    inner join {supplier} on s_suppkey = ps_suppkey
    inner join {nation} on n_nationkey = s_nationkey
    inner join {region} on r_regionkey = n_regionkey
    where r_name = 'EUROPE'
),

cheapest as (
    select
        ps_partkey as cheapest_partkey,
        min(ps_supplycost) as cheapest_cost
    from offers
    group by ps_partkey
)

select s_acctbal, s_name, n_name, p_partkey, p_mfgr, s_address, s_phone, s_comment
from {part}
inner join offers on ps_partkey = p_partkey
inner join cheapest on cheapest_partkey = p_partkey and cheapest_cost = ps_supplycost
where p_size = 15 and p_type like '%BRASS'
order by s_acctbal desc, n_name, s_name, p_partkey
limit 100
