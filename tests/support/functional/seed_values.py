"""A seed with a value of each type, and some at the edges of what the types hold."""

import json
from decimal import Decimal
from math import isnan

from functional.dbt_project import NAME, Project

TYPES = {
    "id": "string",
    "first": "date",
    "at": "timestamp",
    "amount": "decimal(20,2)",
    "nothing": "int",
    "flag": "boolean",
    "big": "bigint",
    "f": "double",
    "ntz": "timestamp_ntz",
}
CSV = """id,first,at,amount,nothing,flag,big,f,ntz
1,2020-01-01,2020-01-01 10:11:12.123456,100,,true,9223372036854775807,1e-3,2020-06-01 01:02:03
02,,2020-03-29 02:30:00,0.10,,false,-1,NaN,
3,1582-10-10,0001-01-01 00:00:00,12345678901234567.89,,,0,3.4028235e40,9999-12-31 23:59:59.999999
"""
READ = (
    "id, cast(first as string), cast(at as string), amount, nothing, flag, big, f, "
    "cast(ntz as string)"
)
LARGE = Decimal("12345678901234567.89")
VALUES = [
    ("02", None, "2020-03-29 02:30:00", Decimal("0.10"), None, False, -1, None),
    (
        *("1", "2020-01-01", "2020-01-01 10:11:12.123456", Decimal(100), None, True),
        *(9223372036854775807, 0.001, "2020-06-01 01:02:03"),
    ),
    (
        *("3", "1582-10-10", "0001-01-01 00:00:00", LARGE, None, None),
        *(0, 3.4028235e40, "9999-12-31 23:59:59.999999"),
    ),
]
"""Without the NaN of the first."""


def build_and_check(project: Project, file_format: str) -> None:
    """Each value is what the file says, in the type that the config says."""
    config = {"+column_types": TYPES, "+file_format": file_format}
    settings = {"name": NAME, "profile": NAME, "seeds": {NAME: config}}
    project.write({"dbt_project.yml": json.dumps(settings), "seeds/typed.csv": CSV})
    run = project.dbt("seed")
    assert run.success, run.log
    described = project.rows("describe {schema}.typed")[: len(TYPES)]
    assert {row.col_name: row.data_type for row in described} == TYPES
    second, *others = project.rows(f"select {READ} from {{schema}}.typed order by id")
    assert isnan(second[7])
    found = [(*second[:7], second[8]), *map(tuple, others)]
    assert found == VALUES
