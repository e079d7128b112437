"""A seed is staged whole and published by one call, as a model is."""

import json
from datetime import date, datetime
from decimal import Decimal

from functional import cloned, seed_values
from functional.dbt_project import Project

PROJECT = """
name: tested
profile: tested
seeds: {{tested: {{airports: {config}}}}}
"""
AIRPORTS = "code,name,seats\nORD,Chicago O'Hare \\ Intl,3\nJFK,,{seats}\n"


def project_with(project: Project, config: str, csv: str) -> Project:
    """The project with one seed, and its config as YAML."""
    seeds = {"dbt_project.yml": PROJECT.format(config=config), "seeds/airports.csv": csv}
    project.write(seeds)
    return project


def test_a_seed_is_published_and_replaced_by_one_call(project: Project) -> None:
    """Its versions can be listed and rolled back as those of a model."""
    project_with(project, "{}", AIRPORTS.format(seats=1))
    first = project.dbt("seed")
    assert first.success, first.log
    assert first.message("airports").startswith("2 rows published")
    project_with(project, "{}", AIRPORTS.format(seats=2))
    second = project.dbt("seed", "--full-refresh")
    assert second.success, second.log

    old, new = first.response("airports"), second.response("airports")
    assert (old["commit_strategy"], new["commit_strategy"]) == ("create", "swap")
    assert (new["rows_affected"], new["atomicity"]) == (2, "isolated")
    assert new["base_version"] == old["version"]
    assert project.dbt("docs", "generate").success
    catalog = json.loads((project.directory / "target" / "catalog.json").read_text())
    counted = catalog["nodes"]["seed.tested.airports"]["stats"]["bytes"]["value"]
    assert counted == new["bytes"]
    seats = "select seats from {schema}.airports where code = 'JFK'"
    assert project.rows(seats)[0].seats == 2
    back = project.dbt("run-operation", "ctas_rollback", "--args", "{model: airports}")
    assert back.success, back.log
    assert project.rows(seats)[0].seats == 1


def test_a_seed_that_fails_leaves_the_old_table(project: Project) -> None:
    """dbt-spark drops it first. A value that does not fit its type is found by its row."""
    assert project_with(project, "{}", AIRPORTS.format(seats=1)).dbt("seed").success
    wrong = project_with(project, "{+column_types: {seats: no_type}}", AIRPORTS.format(seats=2))
    failed = wrong.dbt("seed")
    assert not failed.success
    said = failed.message("airports")
    assert "[INVALID_CONFIGURATION] 1 configuration error in seed.tested.airports" in said
    assert "column_types: seats: Spark refuses the type 'no_type': [UNSUPPORTED_DATATYPE]" in said
    assert "try_cast" not in said
    for type_, value in (("int", "0.5"), ("decimal(3,1)", "many"), ("varchar(3)", "many")):
        config = f"{{+column_types: {{seats: '{type_}'}}}}"
        said = (
            project_with(project, config, AIRPORTS.format(seats=value))
            .dbt("seed")
            .message("airports")
        )
        assert (
            f"[INVALID_SEED_VALUE] row 2 below the header, column seats: '{value}' does not fit "
            f"the type {type_}; correct it, or the type in column_types"
        ) in said
    assert [row.seats for row in project.rows("select * from {schema}.airports order by 1")] == [
        1,
        3,
    ]


def test_values_reach_the_table_as_they_stand_in_the_file(project: Project) -> None:
    """With the types that dbt finds, or those of the seed's config."""
    csv = (
        "id,Größe,flag,day,at,text,big,price,variable,that_day,local\n"
        '1,1.5,true,2026-01-02,2026-01-02 03:04:05,"a, \'b\' ""c""\n{{ d }}",9007199254740993,'
        "0.10,${env:HOME},2026-01-02 03:04:05,2026-01-02 03:04:05.5\n"
        "2,,,,,,,,,,\n"
    )
    types = "{price: 'decimal(9,2)', id: string, that_day: date, local: timestamp_ntz}"
    config = f"{{+quote_columns: true, +column_types: {types}}}"
    assert project_with(project, config, csv).dbt("seed").success
    full, empty = project.rows("select * from {schema}.airports order by id")
    assert full.asDict() == {
        "id": "1",
        "Größe": 1.5,
        "flag": True,
        "day": date(2026, 1, 2),
        "at": datetime.fromisoformat("2026-01-02T03:04:05"),
        "text": "a, 'b' \"c\"\n{{ d }}",
        "big": 9007199254740993,
        "price": Decimal("0.10"),
        "variable": "${env:HOME}",
        "that_day": date(2026, 1, 2),
        "local": datetime.fromisoformat("2026-01-02T03:04:05.500000"),
    }
    assert list(empty) == ["2", *[None] * 10]


def test_a_zone_that_its_type_has_not_fails_the_seed(project: Project) -> None:
    """A cast would drop it, and so move the time."""
    value = "2026-01-02 03:04:05+02:00"
    run = project_with(project, "{+column_types: {at: timestamp_ntz}}", f"at\n{value}\n").dbt(
        "seed"
    )
    told = f"row 1 below the header, column at: '{value}' does not fit the type timestamp_ntz; "
    assert told in run.message("airports")


def test_a_seed_without_rows_has_its_columns(project: Project) -> None:
    """And one of thousands of rows has them all."""
    assert project_with(project, "{+column_types: {n: int}}", "n\n").dbt("seed").success
    assert project.rows("select * from {schema}.airports") == []
    assert project.rows("describe {schema}.airports")[0][:2] == ("n", "int")
    many = "n\n" + "\n".join(map(str, range(2_500)))
    assert project_with(project, "{}", many).dbt("seed").success
    assert project.rows("select count(*), sum(n) from {schema}.airports")[0] == (2_500, 3_123_750)


def test_configs_of_a_publication_hold_for_a_seed(project: Project) -> None:
    """They are validated before any job, and the layout is that of a model."""
    layout = "{file_format: orc, partition_by: [code], atomicity: none, persist_docs: {}}"
    run = project_with(project, layout, AIRPORTS.format(seats=1)).dbt("seed")
    assert run.success, run.log
    assert run.response("airports")["atomicity"] == "none"
    assert project.rows("describe {schema}.airports")[3][0] == "# Partition Information"
    wrong = project_with(project, "{atomicity: strong}", AIRPORTS.format(seats=1)).dbt("seed")
    assert "[INVALID_CONFIGURATION] 1 configuration error" in wrong.message("airports")
    assert not (project.directory / "target" / "run" / "tested" / "seeds").exists()


def test_a_view_is_not_replaced_by_a_seed(project: Project) -> None:
    """As in dbt itself."""
    project.write({"models/airports.sql": "{{ config(materialized='view') }} select 1 as n"})
    assert project.dbt("run").success
    (project.directory / "models" / "airports.sql").unlink()
    refused = project_with(project, "{}", AIRPORTS.format(seats=1)).dbt("seed")
    assert "it is a view" in refused.message("airports")
    assert project.rows("select n from {schema}.airports") == [(1,)]


def test_a_clone_is_built_in_like_any_other_schema(project: Project) -> None:
    """Its views make way for seeds, tables and incremental models, and the originals stay."""
    cloned.build_and_check(project, "parquet")


def test_the_values_of_a_seed_are_those_of_its_file(project: Project) -> None:
    """In the types of its config, to the edges of what these hold."""
    seed_values.build_and_check(project, "parquet")
