with stock as (
    select ps_partkey, ps_supplycost * ps_availqty as amount
    from {partsupp}
    inner join {supplier} on s_suppkey = ps_suppkey
    inner join {nation} on n_nationkey = s_nationkey
    where n_name = 'GERMANY'
)

select ps_partkey, sum(amount) as part_value
from stock
group by ps_partkey
having sum(amount) > (select sum(amount) * 0.0001 from stock)
order by part_value desc
