"""Models under enforced contracts: what a first build refuses, and what later ones add."""

from collections.abc import Mapping
from decimal import Decimal

from functional.dbt_project import Project

WRONG = {
    "other_field": ("named_struct('p3', 'x')", "struct<p1:string,p2:string>"),
    "other_type": ("named_struct('p1', 1)", "struct<p1:string>"),
    "other_element": ("array(1)", "array<string>"),
    "other_value": ("map('a', 1)", "map<string,string>"),
    "other_digits": ("cast(1 as decimal(12,3))", "decimal(10,2)"),
    "no_type": ("null", "string"),
    "no_zone": ("timestamp_ntz'2026-01-01 00:00:00'", "timestamp"),
}
"""What the column ``c`` is selected as, and what the contract says that it is."""
HELD = {
    "nested": ("named_struct('p1', 'x', 'p2', array(1))", "STRUCT<p1 : STRING, p2: ARRAY<INT>>"),
    "plain": ("cast(1 as decimal)", "decimal"),
    "small": ("cast(1 as smallint)", "short"),
    "long": ("1L", "long"),
    "single": ("cast(1.5 as float)", "real"),
    "text": ("'x'", "string"),
    "short_text": ("cast('x' as varchar(10))", "varchar(10)"),
}
VALUES = (("x", [1]), Decimal(1), 1, 1, 1.5, "x", "x")
DAY = "date '{{ model.batch.event_time_start.strftime('%Y-%m-%d') }}'"
NULL_ID = "cast(null as int)"
NOT_NULL = "{name: id, data_type: int, constraints: [{type: not_null}]}"
OF_DAY = "{name: day, data_type: date}, {name: at, data_type: timestamp}"
DAYS = "--event-time-start=2026-01-01", "--event-time-end=2026-01-03"
FAILED = "This model has an enforced contract that failed"
BROKEN = "[CONSTRAINT_VIOLATION]"


def build_and_check(
    project: Project, file_format: str, batched_by: str, none: Mapping[str, str] = {}
) -> None:
    """A contract holds for the first build as for the rows that are added to it.

    ``batched_by`` is a partitioning by days. The models of ``none`` write in place from the start.
    """
    batched = (
        "incremental_strategy='microbatch', event_time='at', batch_size='day', "
        f"begin='2026-01-01', partition_by={batched_by}"
    )
    selected = ", ".join(f"{value} as {name}" for name, (value, _) in reversed(HELD.items()))
    null_on_second = f"if({DAY} = date '2026-01-02', null, 1)"
    models = {
        "held": _model("tags=[]", selected),
        "null_at_first": _model("tags=[]", f"{NULL_ID} as id"),
        "null_in_batch": _model(batched, f"{NULL_ID} as id, {_at(DAY)}"),
        "typed_in_batch": _model(batched, f"1L as id, {_at(DAY)}"),
        "null_in_second": _model(batched, f"{null_on_second} as id, {_at(DAY)}"),
        **{name: _model(config, f"{NULL_ID} as id") for name, config in none.items()},
    }
    columns = dict.fromkeys(models, NOT_NULL)
    columns |= {name: f"{NOT_NULL}, {OF_DAY}" for name in models if "in_" in name}
    columns["held"] = ", ".join(f"{{name: {n}, data_type: '{k}'}}" for n, (_, k) in HELD.items())
    project.write(
        {
            "models/contracts.yml": f"models: [{', '.join(map(_contract, columns.items()))}]",
            **{
                f"models/{name}.sql": text.replace("<format>", file_format)
                for name, text in models.items()
            },
        }
    )
    run = project.dbt("run", *DAYS)
    assert [name for name, one in run.results.items() if one["status"] == "success"] == ["held"]
    for name in ("null_at_first", *none):
        assert BROKEN in run.message(name), run.message(name)
    assert FAILED in run.log, run.log
    tables = {row.tableName for row in project.rows("show tables in {schema}")}
    assert tables == {"held", "null_in_second"}
    assert project.rows("select id, day from {schema}.null_in_second") != []
    again = project.dbt("run", "--select=held")
    assert again.success, again.log
    rows = project.rows(f"select {', '.join(HELD)} from {{schema}}.held")
    assert [tuple(row) for row in rows] == [VALUES] * 2


def _at(day: str) -> str:
    return f"{day} as day, cast({day} as timestamp) as at"


def _model(config: str, selected: str) -> str:
    configs = (
        "materialized='incremental', on_schema_change='append_new_columns', "
        "file_format='<format>', contract={'enforced': true}"
    )
    return f"{{{{ config({configs}, {config}) }}}} select {selected}"


def _contract(of: tuple[str, str]) -> str:
    return f"{{name: {of[0]}, columns: [{of[1]}]}}"
