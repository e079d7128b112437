"""A model that fails leaves the old table as it was, and nothing staged."""

import pytest

from functional.dbt_project import Project
from functional.outside import Outside

RAISES = (
    "select id, case when id = 700 then {{ var('broken', \"'fine'\") }} else 'x' end as s "
    "from range(0, 1000, 1, 4)"
)
CONTRACT = """{"models": [{"name": "orders", "config": {"contract": {"enforced": true}},
    "columns": [
    {"name": "id", "data_type": "bigint", "constraints":
        [{"type": "not_null"}, {"type": "check", "expression": "id >= 0", "name": "positive"}]},
    {"name": "s", "data_type": "string"}]}]}"""
CHANGED = "select {{ var('columns', \"id, 'x' as s\") }} from range(5)"


def fails_and_leaves_the_old_table(project: Project, outside: Outside, **variables: str) -> str:
    """Build, then fail: entry, rows and storage are what they were; return the message."""
    project.build()
    before, rows = outside.entry("orders"), project.rows("select * from {schema}.orders")
    records, versions = outside.records(), outside.versions()
    failed = project.dbt("run", **variables)
    assert not failed.success
    assert outside.entry("orders") == before
    assert project.rows("select * from {schema}.orders") == rows
    assert (outside.records(), outside.versions()) == (records, versions)
    return failed.message("orders")


@pytest.mark.parametrize("materialization", ["atomic_table", "table"])
def test_a_model_that_raises_in_a_task(
    project: Project, outside: Outside, materialization: str
) -> None:
    """Spark's own words reach the user with outcome and state, and no JVM frames."""
    config = f"{{{{ config(materialized='{materialization}') }}}} "
    project.write({"models/orders.sql": config + RAISES})
    message = fails_and_leaves_the_old_table(
        project, outside, broken="raise_error('broken on purpose')"
    )
    assert "broken on purpose" in message
    assert "outcome: not_committed" in message
    assert "still holds version" in message
    assert "\tat " not in message
    assert len(message.splitlines()) < 12
    assert "\tat org.apache.spark" in (project.directory / "logs" / "dbt.log").read_text()


@pytest.mark.parametrize("materialization", ["atomic_table", "table"])
@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ("id", "enforced contract that failed"),
        ("cast(id as int) as id, 'x' as s", "enforced contract that failed"),
        ("nullif(id, 3) as id, 'x' as s", "not_null id (1 rows)"),
        ("id - 2 as id, 'x' as s", "positive (2 rows)"),
    ],
)
def test_a_model_that_breaks_its_contract(
    project: Project, outside: Outside, materialization: str, columns: str, said: str
) -> None:
    """Columns, types and constraints are enforced before anything is published."""
    config = f"{{{{ config(materialized='{materialization}') }}}} "
    project.write({"models/orders.sql": config + CHANGED, "models/orders.yml": CONTRACT})
    assert said in fails_and_leaves_the_old_table(project, outside, columns=columns)


def test_a_wrong_statement_is_spark_s_own_message(project: Project, outside: Outside) -> None:
    """An SQL error names the column, not the JVM's classes."""
    project.write({"models/orders.sql": "{{ config(materialized='table') }} " + CHANGED})
    message = fails_and_leaves_the_old_table(project, outside, columns="nothing_like_it")
    assert "nothing_like_it" in message
    assert "org.apache.spark" not in message


def test_dbt_show_names_the_line_of_the_file(project: Project) -> None:
    """As a build does; dbt puts a limit around the code that it shows."""
    model = "{{\n  config(materialized='table')\n}}\nselect\n  idd\nfrom range(5)"
    project.write({"models/orders.sql": model})
    said = project.dbt("show", "--select", "orders").log
    assert "`idd` cannot be resolved" in said
    assert "line 5 pos 2\n" in said
    compiled = "target/compiled/tested/models/orders.sql"
    assert f"at: line 5 of models/orders.sql, compiled to line 3 of {compiled}" in said


def test_a_failing_pre_hook_starts_nothing(project: Project, outside: Outside) -> None:
    """A pre-hook that fails leaves the old table."""
    model = "{{ config(materialized='table', pre_hook=var('hook', 'select 1')) }} " + CHANGED
    project.write({"models/orders.sql": model})
    message = fails_and_leaves_the_old_table(project, outside, hook="select * from no_such_table")
    assert "no_such_table" in message


def test_a_failing_post_hook_undoes_nothing(project: Project, outside: Outside) -> None:
    """What was published stays published, and the message says so."""
    model = (
        "{{ config(materialized='table', post_hook=var('hook', 'select 1')) }} "
        "select {{ var('n', 1) }} as n"
    )
    project.write({"models/orders.sql": model})
    project.build()
    failed = project.dbt("run", n=2, hook="select * from no_such_table")
    version = outside.parameters("orders")["ctas_spark_version"]
    assert f"published as {version}" in failed.message("orders")
    assert project.rows("select n from {schema}.orders")[0].n == 2


def test_grants_come_after_the_commit(project: Project, outside: Outside) -> None:
    """GRANT is dbt-spark's: Spark without an authorizer refuses it, when the version is live."""
    config = "{{ config(materialized='table', grants={'select': ['analyst']}) }} "
    project.write({"models/orders.sql": config + CHANGED})
    failed = project.dbt("run")
    message = failed.message("orders")
    assert "GRANT" in message.upper()
    assert "what failed came after the commit" in message
    (version,) = outside.versions()
    assert outside.parameters("orders")["ctas_spark_version"] == version


def test_a_first_build_that_fails_leaves_no_table(project: Project, outside: Outside) -> None:
    """Where there was no table there is none after a failure, and nothing staged."""
    project.write({"models/orders.sql": "{{ config(materialized='table') }} " + RAISES})
    failed = project.dbt("run", broken="raise_error('broken')")
    assert "does not exist, as before" in failed.message("orders")
    assert (outside.tables(), outside.records(), outside.versions()) == ([], [], [])
