"""A model that fails leaves the old table as it was, and nothing staged."""

import json
from collections.abc import Collection

import pytest

from functional.dbt_project import Project, Run
from functional.outside import Outside

RAISES = (
    "select id, case when id = 700 then {{ var('broken', \"'fine'\") }} else 'x' end as s "
    "from range(0, 1000, 1, 4)"
)
CONTRACT = """{"name": "%s", "config": {"contract": {"enforced": true}},
    "columns": [
    {"name": "id", "data_type": "bigint", "constraints":
        [{"type": "not_null"}, {"type": "check", "expression": "id >= 0", "name": "positive"}]},
    {"name": "s", "data_type": "string"}]}"""
BREAKING = {
    "missing": ("id", "enforced contract that failed"),
    "other_type": ("cast(id as int) as id, 'x' as s", "enforced contract that failed"),
    "null": (
        "nullif(id, 3) as id, 'x' as s",
        'not_null id (1 row)\n      - not_null id: {"id":null,"s":"x"}\n',
    ),
    "negative": (
        "id - 2 as id, 'x' as s",
        'positive (2 rows)\n      - positive: {"id":-2,"s":"x"}\n',
    ),
}
"""What a model selects that breaks its contract, and what it is told."""
BOTH = ("atomic_table", "table")
CHANGED = "select {{ var('columns', \"id, 'x' as s\") }} from range(5)"


def fails_and_leaves_the_old_table(project: Project, outside: Outside, **variables: str) -> str:
    """Build, then fail: entry, rows and storage are what they were; return the message."""
    return fail_and_leave_the_old_tables(project, outside, ["orders"], **variables).message(
        "orders"
    )


def fail_and_leave_the_old_tables(
    project: Project, outside: Outside, names: Collection[str], **variables: str
) -> Run:
    """The same of several models; return the run that failed."""
    project.build()

    def state() -> object:
        rows = [project.rows(f"select * from {{schema}}.{name}") for name in names]
        return [*map(outside.entry, names)], rows, outside.records(), outside.versions()

    before = state()
    failed = project.dbt("run", **variables)
    assert not failed.success
    assert state() == before
    return failed


def test_a_model_that_raises_in_a_task(project: Project, outside: Outside) -> None:
    """Spark's own words reach the user with outcome and state, and no JVM frames."""
    config = "{{ config(materialized='%s') }} "
    project.write({f"models/of_{one}.sql": config % one + RAISES for one in BOTH})
    names = [f"of_{one}" for one in BOTH]
    raises = {"broken": "raise_error('broken on purpose')"}
    failed = fail_and_leave_the_old_tables(project, outside, names, **raises)
    for message in map(failed.message, names):
        assert "broken on purpose" in message
        assert "outcome: nothing was published" in message
        assert "still holds version" in message
        assert "\tat " not in message
        assert len(message.splitlines()) < 12
    assert "\tat org.apache.spark" in (project.directory / "logs" / "dbt.log").read_text()


def test_a_model_that_breaks_its_contract(project: Project, outside: Outside) -> None:
    """Columns, types and constraints are enforced before anything is published, or emptied."""
    models = {f"{how}_{kind}": (how, f"'{kind}'") for how in BREAKING for kind in BOTH}
    models["null_emptied"] = ("null", "'table', atomicity='none'")
    select = "select {%% if var('breaks', false) %%}%s{%% else %%}id, 'x' as s{%% endif %%} "
    for name, (how, kind) in models.items():
        config = f"{{{{ config(materialized={kind}) }}}} "
        query = config + select % BREAKING[how][0] + "from range(5)"
        project.write({f"models/{name}.sql": query})
    listed = ", ".join(CONTRACT % name for name in models)
    project.write({"models/contracts.yml": f'{{"models": [{listed}]}}'})
    failed = fail_and_leave_the_old_tables(project, outside, models, breaks="yes")
    for name, (how, _) in models.items():
        assert BREAKING[how][1] in failed.message(name), name


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
    said = (
        f"outcome: version {version} of {project.schema}.orders was published before the error, and"
    )
    assert f"{said} stays published" in failed.message("orders")
    assert project.rows("select n from {schema}.orders")[0].n == 2


GRANTED = "{{{{ config(materialized='{}', grants={{'select': ['analyst']}}, "
GRANTED += "pre_hook='create table {{{{ this }}}}_hook (a int)') }}}} select 1 as id"
OWN_GRANTS = """
{% macro spark__apply_grants(relation, grant_config, should_revoke) %}
  {% do run_query("alter table " ~ relation ~ " set tblproperties ('readers' = '"
                  ~ grant_config.select[0] ~ "')") %}
{% endmacro %}
"""


@pytest.mark.parametrize("materialization", ["table", "incremental", "view"])
def test_grants_that_spark_lacks_are_refused(
    project: Project, outside: Outside, materialization: str
) -> None:
    """Spark's own parser has no GRANT: nothing is run of such a model, not even its hooks."""
    project.write({"models/orders.sql": GRANTED.format(materialization)})
    message = project.dbt("run").message("orders")
    assert "[NOT_SUPPORTED] grants are configured" in message
    assert "remove grants" in message
    assert outside.tables() == []


def test_grants_of_seeds_are_refused_and_empty_ones_are_none(project: Project) -> None:
    """Of a seed, too; and ``grants: {}`` grants nothing."""
    settings = {"name": "tested", "profile": "tested", "seeds": {"+grants": {"select": ["a"]}}}
    project.write(
        {
            "dbt_project.yml": json.dumps(settings),
            "seeds/numbers.csv": "n\n1\n",
            "models/orders.sql": "{{ config(materialized='table', grants={}) }} select 1 as id",
        }
    )
    run = project.dbt("build")
    assert "[NOT_SUPPORTED] grants are configured" in run.message("numbers")
    assert run.results["orders"]["status"] == "success"


def test_a_project_that_grants_in_its_own_way_is_left_to_it(
    project: Project, outside: Outside
) -> None:
    """A macro of the project's applies grants, and knows whether that works."""
    model = "{{ config(materialized='table', grants={'select': ['analyst']}) }} select 1 as id"
    project.write({"models/orders.sql": model, "macros/grants.sql": OWN_GRANTS})
    project.build()
    assert outside.parameters("orders")["readers"] == "analyst"


def test_a_first_build_that_fails_leaves_no_table(project: Project, outside: Outside) -> None:
    """Where there was no table there is none after a failure, and nothing staged.

    Spark's error about the staged version's table has the name of the model's.
    """
    parted = "{{ config(materialized='table', partition_by='idd') }} select 1 as id"
    project.write(
        {
            "models/orders.sql": "{{ config(materialized='table') }} " + RAISES,
            "models/parted.sql": parted,
        }
    )
    failed = project.dbt("run", broken="raise_error('broken')")
    assert "idd" in failed.message("parted")
    assert "parted__" not in failed.message("parted")
    assert ".orders still does not exist" in failed.message("orders")
    assert (outside.tables(), outside.records(), outside.versions()) == ([], [], [])
