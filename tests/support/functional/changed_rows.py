"""Models whose second run brings rows in other shapes, and what their tables then hold."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Case:
    """A model that adds to its table; ``rows`` are what it holds then, ``refused`` its error."""

    config: str
    first: str
    then: str
    rows: tuple[tuple[object, ...], ...] = ()
    refused: str = ""


APPENDS = "on_schema_change='append_new_columns'"
SYNCS = "on_schema_change='sync_all_columns'"
WHO = "named_struct('first', 'Ada', 'last', 'L') as who"
OHW = "named_struct('last', 'H', 'FIRST', 'Grace') as who"
DEEP = "array(map('k', named_struct('x', 1, 'y', 2))) as deep"
PEED = "array(map('k', named_struct('y', 20, 'x', 10))) as deep"
FIELDS = "select who.first, who.last, deep[0]['k'].x, deep[0]['k'].y from"

NESTED = Case(
    "",
    f"select 1 as id, {WHO}, {DEEP}",
    f"select {PEED}, {OHW}, 2 as id",
    (("Ada", "L", 1, 2), ("Grace", "H", 10, 20)),
)
IN_ANY_FORMAT = {
    "removed": Case(
        APPENDS,
        "select 1 as id, 'a' as gone",
        "select 2 as id, 'n' as extra",
        ((1, "a", None), (2, None, "n")),
    ),
    "renamed": Case(
        APPENDS,
        "select 1 as id, 'a' as Name",
        "select 'b' as NAME, 2 as ID",
        ((1, "a"), (2, "b")),
    ),
    "case_fails": Case("on_schema_change='fail'", "select 1 as Id", "select 2 as ID", ((1,), (2,))),
    "wide": Case("", "select 5000000000 as n", "select 7 as n", ((7,), (5000000000,))),
    "fits": Case("", "select 1 as n", "select 2L as n", ((1,), (2,))),
    "too_big": Case(
        "",
        "select 1 as n",
        "select 5000000000 as n",
        ((1,),),
        "column n: a value of type bigint does not fit in int",
    ),
    "narrow": Case(
        APPENDS,
        "select 1 as n",
        "select 3.7 as n, 'x' as extra",
        ((1,),),
        "column n: is int in the table and decimal(2,1) in the new rows",
    ),
    "missing": Case(
        "",
        "select 1 as id, 2 as b",
        "select 1 as id",
        ((1, 2),),
        "column b: is in the table and not in the new rows",
    ),
    "other_fields": Case(
        "",
        "select struct(1 as a) as s",
        "select struct(1 as a, 2 as b) as s",
        (((1,),),),
        "column s: is struct<a:int> in the table and struct<a:int,b:int> in the new rows",
    ),
    "nested": NESTED,
    "nested_overwritten": Case(
        "incremental_strategy='insert_overwrite', partition_by='id'",
        f"select {WHO}, {DEEP}, 1 as id",
        f"select 2 as id, {OHW}, {PEED}",
        NESTED.rows,
    ),
    "null_keys": Case(
        "incremental_strategy='merge', unique_key='id'",
        "select * from values (1, 'a'), (null, 'n') as t(id, v)",
        "select * from values (1, 'b'), (null, 'n') as t(id, v)",
        ((None, "n"), (None, "n"), (1, "b")),
    ),
    "null_partition": Case(
        "incremental_strategy='insert_overwrite', partition_by='p'",
        "select * from values (1, cast(null as int)), (2, 2) as t(id, p)",
        "select 3 as id, cast(null as int) as p",
        ((2, 2), (3, None)),
    ),
    "unpartitioned": Case(
        "incremental_strategy='insert_overwrite'",
        "select 1 as id, 'r' as v",
        "select 2 as id, 'r' as v",
        ((2, "r"),),
    ),
    "under_contract": Case(
        f"{APPENDS}, contract={{'enforced': true}}",
        "select 1 as id",
        "select 7 as id, 'undeclared' as extra",
        ((1,),),
        "This model has an enforced contract that failed",
    ),
    "constraint": Case(
        f"{APPENDS}, contract={{'enforced': true}}",
        "select 1 as id;",
        "select cast(null as int) as id; -- none",
        ((1,),),
        "[CONSTRAINT_VIOLATION]",
    ),
}
"""With ``append`` in place, unless their configs say another strategy."""
CONTRACTS = """
models:
- {name: under_contract, columns: [{name: id, data_type: int}]}
- {name: constraint, columns: [{name: id, data_type: int, constraints: [{type: not_null},
  {type: check, expression: 'id > 0;'}]}]}
"""


def files(cases: dict[str, Case], config: str = "") -> dict[str, str]:
    """The project; ``config`` are configs of all models, each after a comma."""
    models = {
        f"models/{name}.sql": (
            f"{{{{ config(materialized='incremental', {case.config or 'tags=[]'}{config}) }}}}\n"
            f"{{% if is_incremental() %}}{case.then}{{% else %}}{case.first}{{% endif %}}"
        )
        for name, case in cases.items()
    }
    return {**models, "models/contracts.yml": CONTRACTS}


def query(name: str, schema: str) -> str:
    """What a case's rows are compared with."""
    selected = FIELDS if name.startswith("nested") else "select * from"
    return f"{selected} {schema}.{name} order by 1"
