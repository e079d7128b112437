with shipping as (
    select
        seller.n_name as supp_nation,
        buyer.n_name as cust_nation,
        extract(year from l_shipdate) as l_year,
        l_extendedprice * (1 - l_discount) as volume
    from {supplier}
    inner join {lineitem} on l_suppkey = s_suppkey
    inner join {orders} on o_orderkey = l_orderkey
    inner join {customer} on c_custkey = o_custkey
    inner join {nation} as seller on seller.n_nationkey = s_nationkey
    inner join {nation} as buyer on buyer.n_nationkey = c_nationkey
    where
        l_shipdate between date '1995-01-01' and date '1996-12-31'
        and (
            (seller.n_name = 'FRANCE' and buyer.n_name = 'GERMANY')
            or (seller.n_name = 'GERMANY' and buyer.n_name = 'FRANCE')
        )
)

select supp_nation, cust_nation, l_year, sum(volume) as revenue
from shipping
group by supp_nation, cust_nation, l_year
order by supp_nation, cust_nation, l_year
