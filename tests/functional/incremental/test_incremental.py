"""Incremental models on files: made anew by one call, and added to as the model asks."""

import pytest
from pyspark.sql import SparkSession

from ctas_spark import save_as
from ctas_spark.engines.session import SessionEngine
from functional.dbt_project import Project
from functional.outside import Outside

OLD = "select * from values (1, 'a', 'x'), (2, 'b', 'x'), (3, 'c', 'y') as t(id, text, part)"
NEW = "select * from values (3, 'C', 'y'), (4, 'd', 'y') as t(id, text, part)"
MERGE = "incremental_strategy='merge', unique_key='id'"
ALL = "select id, text, part from {schema}.events order by id, text"


def with_model(project: Project, config: str, new: str = NEW, old: str = OLD) -> Project:
    """A model that selects ``old`` at first, and ``new`` when it adds to its table."""
    project.write(dict([model("events", config, new, old)]))
    return project


def model(name: str, config: str, new: str = NEW, old: str = OLD) -> tuple[str, str]:
    """The path of such a model's file, and its text."""
    head = f"{{{{ config(materialized='incremental', {config}) }}}}"
    query = f"{{% if is_incremental() %}}{new}{{% else %}}{old}{{% endif %}}"
    return f"models/{name}.sql", f"{head}\n{query}"


def texts(project: Project, table: str = "events") -> str:
    """The table's rows, each as id and text."""
    return " ".join(f"{row.id}{row.text}" for row in project.rows(ALL.replace("events", table)))


def test_a_full_refresh_is_one_call(project: Project) -> None:
    """dbt-spark drops the table first; a failure leaves the one before."""
    with_model(project, "versions_to_keep=1").build()
    made = project.dbt("run", "--full-refresh")
    assert made.success, made.log
    assert made.response("events")["commit_strategy"] == "swap"
    assert made.response("events")["atomicity"] == "isolated"
    with_model(project, "versions_to_keep=1", old="select raise_error('no') as id")
    failed = project.dbt("run", "--full-refresh")
    assert not failed.success
    assert "was discarded" in failed.message("events")
    assert texts(project) == "1a 2b 3c"
    back = project.dbt("run-operation", "ctas_rollback", "--args", "{model: events}")
    assert back.success, back.log


ONE_VERSION = {
    "appended": ("atomicity='isolated'", "1a 2b 3C 3c 4d"),
    "overwritten": (
        "atomicity='isolated', incremental_strategy='insert_overwrite', partition_by='part'",
        "1a 2b 3C 4d",
    ),
    "replaced": ("atomicity='atomic', incremental_strategy='insert_overwrite'", "3C 4d"),
    "merged": (MERGE, "1a 2b 3C 4d"),
    "updated": (f"{MERGE}, merge_update_columns=['part']", "1a 2b 3c 4d"),
    "predicated": (
        f"{MERGE}, incremental_predicates=['DBT_INTERNAL_DEST.id > 3']",
        "1a 2b 3C 3c 4d",
    ),
    "deleted": ("incremental_strategy='delete+insert', unique_key=['part']", "1a 2b 3C 4d"),
}


def test_old_and_new_rows_are_published_as_one_version(project: Project) -> None:
    """By one call, over a version that nobody else has changed."""
    project.write(dict(model(name, config) for name, (config, _) in ONE_VERSION.items()))
    project.build()
    assert {texts(project, name) for name in ONE_VERSION} == {"1a 2b 3c"}
    added = project.build()
    for name, (_, expected) in ONE_VERSION.items():
        assert texts(project, name) == expected, name
        assert added.response(name)["commit_strategy"] == "swap"
        assert added.response(name)["base_version"]
    for name in ("appended", "merged"):
        back = project.dbt("run-operation", "ctas_rollback", "--args", f"{{model: {name}}}")
        assert back.success, back.log
        assert texts(project, name) == "1a 2b 3c"


def test_an_increment_that_fails_leaves_the_table(project: Project) -> None:
    """Also where Spark had written a part of the rows."""
    config = "atomicity='isolated'"
    with_model(project, config).build()
    broken = "select id, if(id = 4, raise_error('no'), text) as text, part from (" + NEW + ")"
    failed = with_model(project, config, broken).dbt("run")
    assert not failed.success
    assert "was discarded" in failed.message("events")
    assert texts(project) == "1a 2b 3c"


def test_several_new_rows_of_one_key_fail_a_merge(project: Project) -> None:
    """As in Spark's own MERGE, which can't say which of them is meant."""
    config = MERGE
    twice = f"{NEW} union all select 3, 'again', 'y'"
    with_model(project, config).build()
    failed = with_model(project, config, twice).dbt("run")
    assert not failed.success
    said = "[DUPLICATE_KEY] incremental_strategy merge: several new rows match one row of the table"
    remedy = "let the model select one row for each key"
    assert f"{said} by id, such as '3'; {remedy}\n" in failed.message("events")
    assert "USER_RAISED_EXCEPTION" not in failed.message("events")
    assert texts(project) == "1a 2b 3c"


def test_columns_change_with_the_version(project: Project) -> None:
    """Nothing is altered before the rows are there; a type grows to one that both fit in."""
    columns = {
        "ignore": ["id", "text", "part"],
        "append_new_columns": ["id", "text", "part", "added"],
        "sync_all_columns": ["id", "part", "added"],
    }
    for change in columns:
        config = f"atomicity='atomic', on_schema_change='{change}'"
        text = "" if change == "sync_all_columns" else "'d' as text, "
        new = f"select 4L as id, {text}'y' as part, 1.5 as added"
        project.write(dict([model(change, config, new)]))
    for _ in range(2):
        project.build()
    for change, expected in columns.items():
        table = project.rows(f"select * from {{schema}}.{change} order by id")
        assert list(table[0].asDict()) == expected
        assert [row.id for row in table] == [1, 2, 3, 4]


def test_other_columns_fail_where_the_model_says_so(project: Project) -> None:
    """Before any row is written; so do texts that would make a number column one."""
    config = "atomicity='isolated', on_schema_change='{}'"
    with_model(project, config.format("fail")).build()
    more = with_model(project, config.format("fail"), f"select *, 1 as added from ({NEW})")
    assert "out of sync" in more.dbt("run").message("events")
    letters = f"select 'x' as id, text, part from ({NEW})"
    told = with_model(project, config.format("ignore"), letters).dbt("run").message("events")
    assert "column id: is int in the table and string in the new rows" in told


def test_fields_of_a_wide_struct_are_never_united_by_place(project: Project) -> None:
    """DESCRIBE shows only the first of them, and two that it hides change places by their names."""
    fields = [f"'f{number}' as f{number}" for number in range(30)]
    exchanged = [*fields[:28], fields[29], fields[28]]
    old, new = (f"select 1 as id, struct({', '.join(one)}) as e" for one in (fields, exchanged))
    with_model(project, "atomicity='isolated'", old, old).build()
    project.build()
    with_model(project, "atomicity='isolated'", new, old).build()
    assert len(project.rows("select e.f28 from {schema}.events where e.f28 = 'f28'")) == 3


def test_a_batch_that_fails_is_aborted(project: Project, outside: Outside) -> None:
    """dbt catches its error itself; the other batches are published, and dbt retry adds it."""
    config = "atomicity='isolated', incremental_strategy='microbatch', partition_by='day', "
    config += "event_time='day', batch_size='day', begin='2026-01-01'"
    day = "date '{{ model.batch.event_time_start.strftime('%Y-%m-%d') }}'"
    fails = f"{day} = date '2026-01-02' and {{{{ var('fails', true) }}}}"
    rows = f"select {day} as day, if({fails}, raise_error('no'), 1) as id"
    with_model(project, config, rows, rows)
    run = project.dbt("run", "--event-time-start=2026-01-01", "--event-time-end=2026-01-04")
    assert not run.success
    assert "was discarded" in run.log
    assert [row.id for row in project.rows("select id from {schema}.events")] == [1, 1]
    assert len(outside.records()) == len(outside.versions()) == 2  # the live one, and one before
    retried = project.dbt("retry", fails=False)
    assert retried.success, retried.log
    assert project.rows("select count(*), count(distinct day) from {schema}.events") == [(3, 3)]


def test_another_writers_rows_are_not_lost(project: Project) -> None:
    """What is added to an older version would take them away, so that is refused."""
    layouts = {"plain": "", "partitioned": ", partition_by='part'"}
    text = (
        "def model(dbt, session):\n"
        "    dbt.config(materialized='incremental', atomicity='isolated'%s)\n"
        "    rows = session.createDataFrame([(1, 'a', 'x')], ['id', 'text', 'part'])\n"
        "    if dbt.is_incremental:\n"
        "        session.sql(f\"insert into {dbt.this} values (2, 'theirs', 'x')\")\n"
        "    return rows\n"
    )
    project.write({f"models/{name}.py": text % layout for name, layout in layouts.items()})
    project.build()
    run = project.dbt("run")
    for name in layouts:
        assert "[CONCURRENT_WRITE]" in run.message(name)
        assert texts(project, name) == "1a 2theirs"


def test_a_first_build_replaces_no_table(project: Project) -> None:
    """Another run may have created it, and what it holds was added bit by bit."""
    hook = "create table {{ this }} using parquet as select 9 as id, 'theirs' as text, 'x' as part"
    config = f"pre_hook=[{{'sql': \"{hook}\", 'transaction': true}}]"
    told = with_model(project, config).dbt("run").message("events")
    assert "[TABLE_ALREADY_EXISTS]" in told
    assert "if another run has just created it, run again" in told
    assert texts(project) == "9theirs"
    with_model(project, "").build()
    assert texts(project) == "3C 4d 9theirs"


def test_by_default_rows_are_added_in_place(project: Project) -> None:
    """As dbt-spark does it, and the results say so."""
    with_model(project, "incremental_strategy='append'").build()
    added = project.build()
    assert texts(project) == "1a 2b 3C 3c 4d"
    assert added.response("events")["rows_affected"] == 2
    assert added.response("events")["atomicity"] == "none"


def test_rows_are_added_in_place_to_the_version_that_is_there(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And not to the one that this session has read before another process published."""
    with_model(project, "").build()
    session, table = SparkSession.active(), f"{project.schema}.events"
    assert session.table(table).count()
    with monkeypatch.context() as patch:
        patch.setattr(SessionEngine, "refresh", lambda *_named: None)
        theirs = session.newSession().sql("select 9 as id, 'theirs' as text, 'x' as part")
        save_as(theirs, table).replace()
    assert session.table(table).where("id = 9").isEmpty()
    project.build()
    assert texts(project) == "3C 4d 9theirs"


def test_new_rows_are_checked_before_they_are_added(project: Project) -> None:
    """An enforced contract holds for increments, too."""
    yml = (
        "models: [{name: events, config: {contract: {enforced: true}}, columns: ["
        "{name: id, data_type: int, constraints: [{type: not_null}]},"
        "{name: text, data_type: string}, {name: part, data_type: string}]}]"
    )
    none = "select cast(null as int) as id, 'n' as text, 'y' as part"
    for level in ("auto", "isolated"):
        config = f"atomicity='{level}', on_schema_change='fail'"
        with_model(project, config, none)
        (project.directory / "models" / "events.yml").write_text(yml)
        assert project.dbt("run", "--full-refresh").success
        failed = project.dbt("run")
        assert not failed.success
        assert "[CONSTRAINT_VIOLATION]" in failed.message("events")
        assert '- not_null id: {"id":null,"text":"n","part":"y"}' in failed.message("events")
        assert texts(project) == "1a 2b 3c"


def test_configs_that_an_increment_can_not_have(project: Project) -> None:
    """They are refused before any job, all at once."""
    with_model(project, MERGE).build()
    config = (
        "incremental_strategy='merge', unique_key='id', atomicity='none', on_conflict='overwrite',"
        " staging_purpose='replace', merge_update_columns=['a'], merge_exclude_columns=['b']"
    )
    told = with_model(project, config).dbt("run").message("events")
    assert "4 configuration errors" in told
    unknown = with_model(project, "incremental_strategy='upsert'").dbt("run").message("events")
    assert "'upsert' is not one of append, insert_overwrite" in unknown
