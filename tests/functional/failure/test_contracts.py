"""Enforced contracts, from a model's first build on."""

from functional import contracts
from functional.contracts import FAILED, WRONG
from functional.dbt_project import Project

MODEL = "{{{{ config(materialized='{}', contract={{'enforced': true}}) }}}} select {} as c"


def test_types_are_compared_whole(project: Project) -> None:
    """Fields, elements and digits included, of a table as of a view; nothing is built."""
    models = {**{name: ("table", *one) for name, one in WRONG.items()}}
    models["of_view"] = ("view", *WRONG["other_field"])
    listed = ", ".join(
        f"{{name: {name}, columns: [{{name: c, data_type: '{kind}'}}]}}"
        for name, (_, _, kind) in models.items()
    )
    project.write(
        {
            "models/contracts.yml": f"models: [{listed}]",
            **{f"models/{name}.sql": MODEL.format(*one) for name, one in models.items()},
        }
    )
    run = project.dbt("run")
    for name in models:
        assert FAILED in run.message(name), run.message(name)
    assert project.rows("show tables in {schema}") == []


def test_a_contract_holds_from_the_first_row_on(project: Project) -> None:
    """Of an increment in place and of a batch, also at the level that writes in place at once."""
    emptied = {"emptied": "atomicity='none'"}
    contracts.build_and_check(project, "parquet", "'day'", emptied)
