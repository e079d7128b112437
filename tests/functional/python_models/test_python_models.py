"""Python models: staged and published like queries."""

from pyspark.sql import SparkSession

from functional.dbt_project import Project

ROWS = "models/numbers.sql", "select id, id * 2 as twice from range(3)"


def with_model(project: Project, body: str, config: str = "", name: str = "made") -> Project:
    """A Python model that has a table to read."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    model = (
        "def model(dbt, session):\n"
        f"    dbt.config(materialized='atomic_table'{config})\n"
        "    numbers = dbt.ref('numbers')\n"
        f"{lines}"
    )
    project.write({ROWS[0]: ROWS[1], f"models/{name}.py": model})
    return project


BODIES = {
    "of_spark": "return numbers.where('id > 0')",
    "of_pandas": "return numbers.toPandas().query('id > 0')",
    "of_pandas_on_spark": "return numbers.pandas_api().query('id > 0')",
    "of_arrow": "import pyarrow as pa\nreturn pa.table({'id': [1, 2], 'twice': [2, 4]})",
}


def test_what_it_returns_is_published(project: Project) -> None:
    """A DataFrame of any of these packages."""
    for name, body in BODIES.items():
        with_model(project, body, name=name)
    built = project.build()
    for name in BODIES:
        assert built.response(name)["outcome"] == "committed"
        assert built.response(name)["rows_affected"] == 2
        rows = project.rows(f"select id, twice from {{schema}}.{name} order by id")
        assert [(row.id, row.twice) for row in rows] == [(1, 2), (2, 4)]
    views = SparkSession.active().sql("show views").collect()
    of_these = tuple(f"{name}__dbt_tmp" for name in BODIES)
    assert not [row for row in views if row.viewName.startswith(of_these)]


def test_an_empty_frame_of_pandas_is_an_empty_table(project: Project) -> None:
    """With the types of its columns; Spark finds none in a frame without rows."""
    body = (
        "import pandas as pd\n"
        "whole, text, time = (pd.Series([], dtype=one) for one in ('int64', 'str', 'M8[ns]'))\n"
        "return pd.DataFrame({'id': whole, 'name': text, 'at': time})"
    )
    with_model(project, body).build()
    rows = project.rows(
        "select typeof(id), typeof(name), typeof(at) from (select 1) "
        "left join {schema}.made on true"
    )
    assert [tuple(row) for row in rows] == [("bigint", "string", "timestamp")]


def test_it_is_replaced_by_one_call(project: Project) -> None:
    """And knows what it is, as dbt tells it."""
    body = (
        "name = f'{dbt.this.schema}.{dbt.this.identifier} {dbt.is_incremental}'\n"
        "rows = [(name, dbt.config.get('atomicity'))]\n"
        "return session.createDataFrame(rows, ['name', 'level'])"
    )
    with_model(project, body, ", atomicity='isolated'").build()
    again = project.build()
    assert again.response("made")["commit_strategy"] == "swap"
    assert "On model.tested.made: def model(dbt, session):" in again.log
    assert "Execution status: OK in" in again.log
    rows = project.rows("select * from {schema}.made")
    assert [(row.name, row.level) for row in rows] == [(f"{project.schema}.made False", "isolated")]


def test_an_error_shows_the_line_of_the_users_file(project: Project) -> None:
    """The table stays; neither dbt's frames nor Spark's are shown."""
    with_model(project, "return numbers").build()
    told = with_model(project, "return numbers.limit(1 // 0)").dbt("run").message("made")
    assert "[PYTHON_MODEL_FAILED] the model failed: ZeroDivisionError" in told
    assert "at: line 4 of models/made.py, in model: return numbers.limit(1 // 0)" in told
    assert "was discarded" in told
    assert "Traceback" not in told
    assert len(project.rows("select * from {schema}.made")) == 3
    told = with_model(project, "return numbers.select('x')").dbt("run").message("made")
    assert "UNRESOLVED_COLUMN" in told
    assert "line 4 of models/made.py" in told
    broken = with_model(project, "return 1 +").dbt("run")
    assert not broken.success


def test_a_wrong_result_or_a_missing_package_is_named(project: Project) -> None:
    """Before any job where it can be known; so is a setting under which texts would be others."""
    told = with_model(project, "return 1").dbt("run").message("made")
    assert "the model returned builtins.int" in told
    keeps = "session.conf.set('spark.sql.parser.escapedStringLiterals', 'true'); return numbers"
    told = with_model(project, keeps).dbt("run").message("made")
    assert "spark.sql.parser.escapedStringLiterals is true: comments, properties and seeds" in told
    packages = ", packages=['no-such-package', 'numpy<0.1']"
    told = with_model(project, "return numbers", packages).dbt("run").message("made")
    assert "packages of the model are not in dbt's environment: no-such-package; numpy<0.1" in told


def test_an_incremental_one_adds_its_rows(project: Project) -> None:
    """In place, and as one version."""
    for level in ("auto", "isolated"):
        model = (
            "def model(dbt, session):\n"
            f"    dbt.config(materialized='incremental', atomicity='{level}')\n"
            "    numbers = dbt.ref('numbers')\n"
            "    return numbers.where('id > 1') if dbt.is_incremental else numbers\n"
        )
        project.write({ROWS[0]: ROWS[1], "models/made.py": model})
        assert project.dbt("run", "--full-refresh").success
        project.build()
        rows = project.rows("select id from {schema}.made order by id")
        assert [row.id for row in rows] == [0, 1, 2, 2]
