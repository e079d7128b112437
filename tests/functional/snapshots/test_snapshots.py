"""Snapshots on files: created and changed as versions, where dbt-spark refuses them."""

from functional import old_times, returning_rows
from functional.dbt_project import Project, Run

RECORDS = (
    "select id, text, dbt_valid_to is null as valid from {schema}.history order by id, text, valid"
)
FIRST = "(1, 'a', timestamp'2026-01-01'), (2, 'b', timestamp'2026-01-01')"
TABLE = f"values {FIRST} as t(id, text, at)"
THEN = "(1, 'A', timestamp'2026-01-02'), (3, 'c', timestamp'2026-01-02')"
BY_TIME = "strategy='timestamp', updated_at='at'"
BY_TEXT = "strategy='check', check_cols=['text']"


def with_snapshot(project: Project, rows: str, config: str = BY_TIME, query: str = "") -> Project:
    """A snapshot of these rows."""
    query = query or f"select * from values {rows} as t(id, text, at)"
    project.write(dict([snapshot("history", query, config)]))
    return project


def snapshot(name: str, query: str, config: str) -> tuple[str, str]:
    """The path of a snapshot's file, and its text."""
    keys = "" if "unique_key" in config else "unique_key='id', "
    text = f"{{% snapshot {name} %}}{{{{ config({keys}{config}) }}}} {query} {{% endsnapshot %}}"
    return f"snapshots/{name}.sql", text


def snapped(project: Project, rows: str, config: str = BY_TIME, query: str = "") -> Run:
    """The run of this snapshot, which has to succeed."""
    run = with_snapshot(project, rows, config, query).dbt("snapshot")
    assert run.success, run.log
    return run


def records(project: Project, query: str = RECORDS, table: str = "history") -> str:
    """The table's records, each as id and text; one that is not valid any more in brackets."""
    shown = (
        f"{row.id}{row.text}" if row.valid else f"({row.id}{row.text})"
        for row in project.rows(query.replace("history", table))
    )
    return " ".join(shown)


CHANGED = {
    "by_time": (BY_TIME, "1A (1a) 2b 3c"),
    "by_text": (BY_TEXT, "1A (1a) 2b 3c"),
    "invalidated": (f"{BY_TIME}, hard_deletes='invalidate'", "1A (1a) (2b) 3c"),
    "recorded": (f"{BY_TIME}, hard_deletes='new_record'", "1A (1a) (2b) 2b 3c"),
    "listed_key": (f"{BY_TIME}, unique_key=['id']", "1A (1a) 2b 3c"),
    "of_orc": (f"{BY_TEXT}, file_format='orc', atomicity='isolated'", "1A (1a) 2b 3c"),
}


def test_changes_are_published_as_one_version(project: Project) -> None:
    """With the records before them; a rollback brings those back."""
    for rows in (FIRST, THEN):
        query = f"select * from values {rows} as t(id, text, at)"
        project.write(dict(snapshot(name, query, config) for name, (config, _) in CHANGED.items()))
        run = project.dbt("snapshot")
        assert run.success, run.log
        for name, (_, expected) in CHANGED.items():
            assert records(project, table=name) == ("1a 2b" if rows is FIRST else expected), name
    for name in CHANGED:
        assert run.response(name)["commit_strategy"] == "swap"
        assert run.response(name)["atomicity"] == "isolated"
    for name in ("recorded", "of_orc"):
        back = project.dbt("run-operation", "ctas_rollback", "--args", f"{{model: {name}}}")
        assert back.success, back.log
        assert records(project, table=name) == "1a 2b"


def test_a_date_can_stand_for_now(project: Project) -> None:
    """``dbt_valid_to_current``, under names of the user's own."""
    names = "snapshot_meta_column_names={'dbt_valid_to': 'until', 'dbt_scd_id': 'key'}"
    config = f"{BY_TIME}, dbt_valid_to_current=\"timestamp'9999-12-31'\", {names}"
    snapped(project, FIRST, config)
    snapped(project, THEN, config)
    assert (
        records(project, RECORDS.replace("dbt_valid_to is null", "year(until) = 9999"))
        == "1A (1a) 2b 3c"
    )


def test_a_new_column_comes_with_the_version(project: Project) -> None:
    """Records before it have NULL there; a column that is gone stays."""
    snapped(project, FIRST)
    more = f"select id, upper(text) as note, at + interval 1 day as at from {TABLE}"
    snapped(project, "", query=more)
    rows = project.rows("select id, text, note from {schema}.history order by id, text")
    assert [tuple(row) for row in rows] == [
        (1, None, "A"),
        (1, "a", None),
        (2, None, "B"),
        (2, "b", None),
    ]


def test_a_snapshot_that_fails_leaves_its_records(project: Project) -> None:
    """In its query, or because a record has two changes: dbt's MERGE fails then, too."""
    snapped(project, FIRST)
    broken = f"select id, raise_error('no') as text, at + interval 1 day as at from {TABLE}"
    failed = with_snapshot(project, "", query=broken).dbt("snapshot")
    assert not failed.success
    assert "was discarded" in failed.message("history")
    twice = with_snapshot(project, f"{THEN}, (1, 'AA', timestamp'2026-01-03')").dbt("snapshot")
    assert "unique_key is not unique in the snapshot's query" in twice.message("history")
    assert records(project) == "1a 2b"


def test_configs_that_a_snapshot_can_not_have(project: Project) -> None:
    """They are refused before any job, all at once."""
    config = f"{BY_TIME}, staging_purpose='create', on_conflict='overwrite', versions_to_kep=2"
    told = with_snapshot(project, FIRST, config).dbt("snapshot").message("history")
    assert "2 configuration errors" in told
    in_place = f"{BY_TIME}, atomicity='none'"
    none = with_snapshot(project, FIRST, in_place).dbt("snapshot")
    assert "atomicity: none writes in place" in none.message("history")
    snapped(project, FIRST)
    none = with_snapshot(project, THEN, in_place).dbt("snapshot")
    assert "atomicity: none writes in place" in none.message("history")


def test_a_first_snapshot_replaces_no_table(project: Project) -> None:
    """It would lose the records that another run has taken."""
    hook = "create table {{ this }} using parquet as select 9 as id, 'theirs' as text"
    config = f'{BY_TIME}, pre_hook=["{hook}"]'
    told = with_snapshot(project, FIRST, config).dbt("snapshot").message("history")
    assert "[TABLE_ALREADY_EXISTS]" in told


def test_rows_that_go_and_come_back_have_a_record_of_each_time(project: Project) -> None:
    """A deletion's keeps its values; none begins before the last one ended, whatever its time.

    Names in another case, of keys, checked columns and the source's own, are the same.
    """
    returning_rows.run_and_check(project, "parquet")


def test_a_row_that_changes_with_an_old_time_has_a_record(project: Project) -> None:
    """And what its header sets counts in every run."""
    old_times.run_and_check(project, "parquet")


def test_a_column_that_can_not_be_compared_is_named(project: Project) -> None:
    """By the first run: later ones could not compare any row."""
    query = "select 1 as id, map('a', 1) as m, array(map('b', 2)) as ms"
    run = with_snapshot(project, "", "strategy='check', check_cols='all'", query).dbt("snapshot")
    assert "check_cols: Spark can't compare column m, which is map<string,int>" in run.log
    assert "column ms, which is array<map<string,int>>" in run.log
