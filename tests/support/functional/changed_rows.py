"""Models whose second run brings rows in other shapes, and what their tables then hold."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class Case:
    """A model that adds to its table; ``rows`` are what it holds then, ``refused`` its error.

    ``first`` and ``then`` are queries, or what a Python model returns.
    """

    config: str
    first: str
    then: str
    rows: tuple[tuple[object, ...], ...] = ()
    refused: str = ""
    is_python: bool = False

    def file(self, name: str, config: str) -> tuple[str, str]:
        """The model's path and text; ``config`` are more configs, each after a comma."""
        configs = f"materialized='incremental', {self.config or 'tags=[]'}{config}"
        if self.is_python:
            returned = f"return {self.then} if dbt.is_incremental else {self.first}"
            model = f"def model(dbt, session):\n    dbt.config({configs})\n    {returned}\n"
            return f"models/{name}.py", model
        query = f"{{% if is_incremental() %}}{self.then}{{% else %}}{self.first}{{% endif %}}"
        return f"models/{name}.sql", f"{{{{ config({configs}) }}}}\n{query}"


APPENDS = "on_schema_change='append_new_columns'"
SYNCS = "on_schema_change='sync_all_columns'"
WHO = "named_struct('first', 'Ada', 'last', 'L') as who"
OHW = "named_struct('last', 'H', 'FIRST', 'Grace') as who"
DEEP = "array(map('k', named_struct('x', 1, 'y', 2))) as deep"
PEED = "array(map('k', named_struct('y', 20, 'x', 10))) as deep"
SMALL = (
    "select 1L as id, cast(1 as smallint) as s, cast(1 as tinyint) as t, "
    "cast(1.5 as decimal(10,2)) as d, timestamp_ntz'2026-01-01 09:00:00' as at, "
    "cast('xyz' as char(3)) as c, cast('x' as varchar(5)) as v"
)
PRICE = Decimal("1.50")
MORNING = datetime.fromisoformat("2026-01-01 09:00:00")
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
        "select 2 as id, array(named_struct('a$b', 'n', 'Select', 3)) as `new-col`",
        ((1, "a", None), (2, None, [("n", 3)])),
    ),
    "renamed": Case(
        f"{APPENDS}, contract={{'enforced': true}}",
        "select 1 as id, 'a' as Name",
        "select 'b' as NAME, 2 as ID",
        ((1, "a"), (2, "b")),
    ),
    "same_columns": Case(
        "on_schema_change='fail'",
        SMALL,
        f"select v, t, 2L as ID, s, at, d, c from ({SMALL})",
        tuple((key, 1, 1, PRICE, MORNING, "xyz", "x") for key in (1, 2)),
    ),
    "small_contract": Case(
        f"{APPENDS}, contract={{'enforced': true}}",
        SMALL,
        SMALL.replace("1L", "2L"),
        tuple((key, 1, 1, PRICE, MORNING, "xyz", "x") for key in (1, 2)),
    ),
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
        "incremental_strategy='merge', unique_key=['id', 'k'], "
        "incremental_predicates=['DBT_INTERNAL_DEST.id < 4', \"DBT_INTERNAL_DEST.v <> 'c'\"]",
        "select * from values (1, 'k', 'a'), (null, 'k', 'n'), (5, 'k', 'e') as t(id, k, v)",
        "select * from values (1, 'k', 'b'), (null, 'k', 'n'), (5, 'k', 'f') as t(id, k, v)",
        (
            *((None, "k", "n"), (None, "k", "n"), (1, "k", "b")),
            *((5, "k", "e"), (5, "k", "f")),
        ),
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
        "select 2 as id, 'r' as v where false",
    ),
    "under_contract": Case(
        f"{APPENDS}, contract={{'enforced': true}}",
        "select 1 as id",
        "select 7 as id, 'undeclared' as extra",
        ((1,),),
        "This model has an enforced contract that failed",
    ),
    "nested_contract": Case(
        f"{APPENDS}, contract={{'enforced': true}}",
        f"select 1 as id, {WHO}, {DEEP}",
        f"select 2 as id, {OHW}, {DEEP}",
        NESTED.rows[:1],
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
MERGED = {
    "nested_merged": replace(NESTED, config="incremental_strategy='merge', unique_key='id'"),
    "coded": Case(
        f"incremental_strategy='merge', unique_key='id', {APPENDS}",
        "session.createDataFrame([(1, 'a')], 'id int, v string')",
        "session.createDataFrame([('b', 1, 'n')], 'v string, ID int, extra string')",
        ((1, "b", "n"),),
        is_python=True,
    ),
    "mg_upper": Case(
        "incremental_strategy='merge', unique_key='ID', merge_update_columns=['VAL'], "
        "partition_by='Pt', alias='MG_Upper'",
        "select 1 as Id, 'v1' as Val, 'k1' as Keep, 1 as PT",
        "select * from values (2, 'k2', 'w2', 1), (1, 'k2', 'v2', 2) as t(pT, keep, VAL, iD)",
        ((1, "w2", "k1", 1), (2, "v2", "k2", 1)),
    ),
    "odd_names": Case(
        "incremental_strategy='merge', unique_key=['/test/id', 'a.b'], "
        "merge_exclude_columns=['c-1']",
        "select 1 as `/test/id`, 'a' as `a.b`, 'b' as `group`, 'c' as `c-1`",
        "select 'd' as `c-1`, 1 as `/test/id`, 'e' as `group`, 'a' as `a.b`",
        ((1, "a", "e", "c"),),
    ),
}
"""The same with a MERGE, where the format has one."""
CONTRACTS = """
models:
- {name: renamed, columns: [{name: Id, data_type: INT}, {name: NAME, data_type: string}]}
- {name: under_contract, columns: [{name: id, data_type: int}]}
- {name: small_contract, columns: [{name: id, data_type: BIGINT}, {name: s, data_type: smallint},
  {name: t, data_type: tinyint}, {name: d, data_type: 'decimal(10,2)'},
  {name: at, data_type: timestamp_ntz}, {name: c, data_type: char(3)},
  {name: v, data_type: varchar(5)}]}
- {name: nested_contract, columns: [{name: id, data_type: int},
  {name: who, data_type: 'struct<first:string,last:string>'},
  {name: deep, data_type: 'array<map<string,struct<x:int,y:int>>>'}]}
- {name: constraint, columns: [{name: id, data_type: int, constraints: [{type: not_null},
  {type: check, expression: 'id > 0;'}]}]}
"""


def files(cases: Mapping[str, Case], config: str = "") -> dict[str, str]:
    """The project; ``config`` are configs of all models, each after a comma."""
    models = dict(case.file(name, config) for name, case in cases.items())
    return {**models, "models/contracts.yml": CONTRACTS}


def query(name: str, schema: str) -> str:
    """What a case's rows are compared with."""
    selected = FIELDS if name.startswith("nested") else "select * from"
    return f"{selected} {schema}.{name} order by all"
