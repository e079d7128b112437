with usual as (
    select l_partkey as usual_partkey, 0.2 * avg(l_quantity) as small_quantity
    from {lineitem}
    group by l_partkey
)

select sum(l_extendedprice) / 7.0 as avg_yearly
from {lineitem}
inner join {part} on p_partkey = l_partkey
inner join usual on usual_partkey = l_partkey
where p_brand = 'Brand#23' and p_container = 'MED BOX' and l_quantity < small_quantity
