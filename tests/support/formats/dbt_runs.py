"""dbt runs of models in a format with commits of its own; each format's suite has a subclass."""

import itertools
from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import ClassVar

import pytest
from pyspark.sql import Row, SparkSession

from ctas_spark.context import TableName
from ctas_spark.steps import Step, observe
from formats import documented, grown
from functional import (
    changed_rows,
    cloned,
    contracts,
    old_times,
    returning_rows,
    seed_values,
    tested_models,
    unstable_rows,
    utils_package,
    wide_tables,
)
from functional.changed_rows import Case
from functional.dbt_project import Project
from functional.increment_matrix import Change, Strategy, cells, differences
from functional.sources import OF_THE_MODELS, freshness

_numbers = itertools.count(1)

MODEL = """
{{ config(materialized='table', file_format='<format>', partition_by=<partition_by>,
          tblproperties={'mine': 'yes'}, persist_docs={'relation': true, 'columns': true}) }}
select id, cast('{{ var("name", "old") }}' as string) as name, 'x' as day from range(3)
{% if var("fails", false) %} where cast(raise_error('no ' || id) as boolean) {% endif %}
"""
OWN = """
{{ config(materialized='table', file_format='<format>',
          pre_hook=["create table if not exists spark_catalog.{{ target.schema }}.seen "
                    "(before string, n bigint) using parquet", "set own.before = pre"],
          sql_header="create temporary view own_rows as select * from range(9);",
          post_hook="insert into spark_catalog.{{ target.schema }}.seen "
                    "select '${own.before}', count(*) from {{ this }}") }}
select id from own_rows where id < {{ var('n') }}
"""
MERGED = "models/merged.sql"
PLAIN = "{{ config(materialized='table', file_format='parquet') }} select * from {{ ref('m') }}"
SCHEMA = """
models:
  - name: m
    description: a table
    columns:
      - name: id
        description: its number
        constraints: [{type: not_null}]
"""
SOME_CELLS = {
    Strategy.MERGE: Change.REMOVED,
    Strategy.MICROBATCH: Change.CASE,
    Strategy.TIMESTAMP: Change.NEW,
    Strategy.CHECK: Change.NESTED,
}


class Rival:
    """Somebody without our protocol who replaces a table just before a commit of ours."""

    def __init__(self, file_format: str) -> None:
        self._format = file_format

    def entered(self, step: Step, target: TableName) -> None:
        if step is Step.COMMIT:
            SparkSession.active().newSession().sql(
                f"CREATE OR REPLACE TABLE {target} USING {self._format} AS SELECT 'theirs' AS x"
            )

    def left(self, step: Step, target: TableName) -> None:
        """Nothing."""


class DbtRuns:
    """``staged`` is a pattern of what the staging schema holds while, and only while, m is built.

    ``batched_by`` is a partitioning by the day of the timestamp ``at``, or by ``day``.

    ``grown_config`` says where the model grown lies, ``grown_in`` its schema's path. The rows of a
    MERGE are known if it ``says_affected_rows``.
    """

    file_format: str
    partition_by: str
    staged: str
    grown_config: str
    says_affected_rows: bool
    batched_by: str
    returning: tuple[str, ...]
    """The snapshots of returning_rows that this format's suite has; tables of files have all."""
    commits_of_three_batches = 3
    rebuilt_by = "swap"
    commits_of_a_build = 1
    grown_in: str
    changed: ClassVar[Mapping[str, Case]]
    """Models whose second run brings what only this format can take."""

    def commits(self, project: Project, table: str) -> int:
        """How many commits the table's own history has; a DROP ends a history."""
        raise NotImplementedError

    @pytest.fixture
    def project(self, spark: SparkSession, tmp_path: Path) -> Project:
        """A project with one model of the format and one of parquet next to it."""
        project = _new(spark, tmp_path)
        model = MODEL.replace("<partition_by>", self.partition_by)
        files = {"models/m.sql": model, "models/plain.sql": PLAIN, "models/schema.yml": SCHEMA}
        project.write(self._in_format(files))
        return project

    def test_debug_says_what_tables_of_the_format_reach(self, project: Project) -> None:
        """It stands next to the line about tables of files."""
        said = project.dbt("debug").log
        assert f"atomicity of {self.file_format} in spark_catalog: up to isolated" in said
        assert "atomicity: up to isolated" in said

    def test_a_source_is_as_fresh_as_the_last_commit(self, project: Project) -> None:
        """The format's log tells that, and no row is read."""
        began = datetime.now(timezone.utc) - timedelta(seconds=1)
        project.build()
        (project.directory / "models" / "sources.yml").write_text(OF_THE_MODELS.format("{name: m}"))
        _, found = freshness(project)
        assert found["m"]["status"] == "pass"
        loaded = datetime.fromisoformat(found["m"]["max_loaded_at"])
        assert began < loaded < datetime.now(timezone.utc)

    def test_a_model_is_built_rebuilt_and_rolled_back(self, project: Project) -> None:
        """Its results say what was published and how; comments are there; parquet next to it.

        What CACHE TABLE kept of the first version is read no more.
        """
        first = project.build().response("m")
        project.rows("cache table {schema}.m")
        second = project.build(name="new").response("m")
        assert (first["commit_strategy"], second["commit_strategy"]) == ("create", self.rebuilt_by)
        assert second["atomicity"] == "isolated"
        assert second["conflict_check"] == "cas"
        assert second["reader_window"] == "none"
        assert second["base_version"] == first["version"]
        assert second["rows_affected"] == 3
        assert project.rows("select distinct name from {schema}.m") == [("new",)]
        assert project.rows("select count(*) from {schema}.plain") == [(3,)]
        described = {row[0]: row[2] for row in project.rows("describe {schema}.m")}
        assert described["id"] == "its number"
        assert self._staged(project) == []
        history = project.dbt("run-operation", "ctas_history", "--args", "{model: m}")
        assert history.success
        assert first["version"] in history.log
        assert second["version"] in history.log
        assert project.dbt("run-operation", "ctas_rollback", "--args", "{model: m}").success
        assert project.rows("select distinct name from {schema}.m") == [("old",)]
        vacuum = project.dbt("run-operation", "ctas_vacuum", "--args", "{model: m}")
        assert "expire by the format's own rules" in vacuum.log
        assert project.dbt("run-operation", "ctas_recover", "--args", "{model: m}").success

    def test_what_a_node_publishes_from_a_session_of_its_own_is_for_all(
        self, project: Project
    ) -> None:
        """Its hooks and the models after it read it at once; its view is nobody else's."""
        own = OWN.replace("<format>", self.file_format)
        reader = "{{ config(materialized='table', file_format='parquet') }}"
        counts = f"{reader} select count(*) as n from {{{{ ref('own') }}}}"
        project.write(
            {
                **dict.fromkeys(("models/m.sql", "models/schema.yml", "models/plain.sql"), ""),
                "models/own.sql": own,
                "models/counts.sql": counts,
            }
        )
        for n in (2, 3):
            project.build(n=n)
            assert project.rows("select n from {schema}.counts") == [(n,)]
        seen = project.rows("select before, n from spark_catalog.{schema}.seen order by n")
        assert [tuple(row) for row in seen] == [("pre", 2), ("pre", 3)]
        assert not SparkSession.active().catalog.tableExists("own_rows")

    def test_each_batch_of_a_first_run_is_a_commit(self, project: Project) -> None:
        """The second finds the first one's table, and its format, in what dbt has cached.

        A query whose rows are of no batch is refused by the first one.
        """
        day = "timestamp '{{ model.batch.event_time_start.strftime('%Y-%m-%d') }}'"
        config = (
            "{{ config(materialized='incremental', batch_size='day', "
            "incremental_strategy='microbatch', event_time='at', begin='2026-01-01', "
            f"partition_by={self.batched_by}{self.grown_config}) }}}} select"
        )
        project.write(
            {
                "models/m.sql": "select 1 as id",
                "models/plain.sql": "select 1 as id",
                "models/schema.yml": "",
                "models/events.sql": f"{config} {day} as at, cast({day} as date) as day",
                "models/fixed.sql": f"{config} timestamp '2026-01-09' as at, 'x' as day",
            }
        )
        when = "--event-time-start=2026-01-01", "--event-time-end=2026-01-04"
        run = project.dbt("run", "--select", "events", "fixed", *when)
        assert run.results["events"]["status"] == "success", run.log
        assert "[USER_RAISED_EXCEPTION] microbatch: the model's query returned a row" in run.log
        assert project.rows(f"show tables in {self.grown_in}{project.schema} like 'fixed'") == []
        table = f"{self.grown_in}{project.schema}.events"
        assert project.rows(f"select count(*), count(distinct day) from {table}") == [(3, 3)]
        assert self.commits(project, table) == self.commits_of_three_batches

    def test_a_model_that_does_not_get_through_leaves_what_is_there(self, project: Project) -> None:
        """A query that raises leaves the old table, a rival's commit is kept; nothing is staged."""
        built = project.build().response("m")
        failed = project.dbt("run", "--select", "m", fails=True)
        assert not failed.success
        assert f"still holds version {built['version']}" in failed.message("m")
        assert project.rows("select count(*) from {schema}.m") == [(3,)]
        with observe(Rival(self.file_format)):
            lost = project.dbt("run", "--select", "m")
        assert not lost.success
        assert (
            "[CONCURRENT_WRITE] another writer changed the table since this model began"
            in lost.message("m")
        )
        assert project.rows("select * from {schema}.m") == [("theirs",)]
        assert self._staged(project) == []

    def test_a_config_that_the_format_has_not_is_refused(self, project: Project) -> None:
        """Before any job, with what to write instead."""
        model = (project.directory / "models" / "m.sql").read_text()
        project.write({"models/m.sql": model.replace("tblproperties", "options")})
        run = project.dbt("run", "--select", "m")
        assert not run.success
        assert "use tblproperties" in run.message("m")

    def test_incremental_models_and_snapshots_grow_and_are_never_dropped(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        """Each strategy of dbt-spark's; a full refresh is one commit, or leaves the old table.

        A preview of all that changes nothing.
        """
        project = _new(spark, tmp_path)
        files = grown.files(self.grown_config)
        project.write(self._in_format(files))
        for n in (1, 2):
            run = project.dbt("build", n=n)
            assert run.success, run.log
        assert self._read(project) == grown.TWICE
        self._says_that_rows_were_added(project)
        merged = 2 if self.says_affected_rows else None
        for name, rows in {"grown": 1, "merged": merged, "overwritten": 2, "kept": merged}.items():
            assert run.response(name).get("rows_affected") == rows, name
        previewed = project.dbt("build", n=3, ctas_preview=True)
        assert previewed.success, previewed.log
        assert all(previewed.response(name)["preview"] for name in grown.TWICE)
        assert self._read(project) == grown.TWICE
        project.write(self._in_format({MERGED: grown.MERGED.replace("='id'", "=['id', 'no_id']")}))
        said = project.dbt("run", "--select", "merged", n=3).message("merged")
        for where in ("the table", "the model's rows"):
            assert f"unique_key: there is no column no_id in {where}" in said
        project.write(self._in_format({MERGED: files[MERGED]}))
        assert not project.dbt("run", "--full-refresh", n=3, fails=True).success
        assert self._read(project) == grown.TWICE
        *models, _ = self._tables(project)
        commits = {table: self.commits(project, table) for table in models}
        refreshed = project.dbt("run", "--full-refresh", n=3)
        assert refreshed.success, refreshed.log
        assert self._read(project) == grown.REFRESHED
        assert "drop table" not in refreshed.log.lower()
        for table, before in commits.items():
            assert self.commits(project, table) == before + self.commits_of_a_build

    def _says_that_rows_were_added(self, project: Project) -> None:
        """The history, by a mark; and the rollback, which can't go back to before they were."""
        for name in ("merged", "overwritten"):
            history = project.dbt("run-operation", "ctas_history", f"--args={{model: {name}}}", n=2)
            assert "+: a statement has added or replaced rows of this version" in history.log, name
        back = project.dbt("run-operation", "ctas_rollback", "--args={model: merged}", n=2)
        assert "What an incremental model adds is a commit of the format, and no version" in (
            f"{back.exception} {back.log}"
        )

    def test_what_rows_do_not_fit_is_known_before_the_table_changes(self, project: Project) -> None:
        """And what fits is written where its name is, whatever its case and its place."""
        self.check_changed(project, {**changed_rows.IN_ANY_FORMAT, **self.changed})

    def check_changed(self, project: Project, cases: Mapping[str, Case]) -> None:
        """Run the models of the cases twice, and compare what their tables hold."""
        unused = dict.fromkeys(("models/m.sql", "models/plain.sql"), "select 1 as id")
        files = changed_rows.files(cases, f", file_format='{self.file_format}'")
        project.write({**unused, **files, "models/schema.yml": ""})
        first = project.dbt("run")
        assert first.success, first.log
        then = project.dbt("run")
        for name, case in cases.items():
            found = project.rows(changed_rows.query(name, project.schema))
            assert tuple(map(tuple, found)) == case.rows, (name, then.message(name))
            assert case.refused in then.message(name), name
            assert (then.results[name]["status"] == "success") is not bool(case.refused), name

    def test_rows_that_go_and_come_back_have_a_record_of_each_time(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        """As in a snapshot of files, by dbt-spark's MERGE."""
        project = _new(spark, tmp_path)
        returning_rows.run_and_check(project, self.file_format, self.returning)

    def test_a_row_that_changes_with_an_old_time_has_a_record(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        """Its id may be an older record's; and what its header sets counts in every run."""
        old_times.run_and_check(_new(spark, tmp_path), self.file_format)

    def test_a_query_is_read_once(self, spark: SparkSession, tmp_path: Path) -> None:
        """No key is lost or doubled, and no record has two successors, if its rows differ."""
        project = _new(spark, tmp_path)
        unstable_rows.build_and_check(project, self.file_format, self.batched_by)

    def test_a_clone_is_built_in_like_any_other_schema(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        """A view that dbt clone has made is no obstacle to the table."""
        cloned.build_and_check(_new(spark, tmp_path), self.file_format)

    def test_some_increments_have_the_rows_of_a_model_in_plain_python(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        """Or are refused where the model says so; bench/increments.py has every one of them."""
        some = tuple(
            cell
            for strategy, change in SOME_CELLS.items()
            for cell in cells(self.file_format, (strategy,), (change,))
        )
        found = differences(_new(spark, tmp_path), some)
        assert {cell.name: said for cell, said in found.items() if said} == {}

    def test_a_contract_holds_from_the_first_row_on(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        """Of an increment and of a batch."""
        contracts.build_and_check(_new(spark, tmp_path), self.file_format, self.batched_by)

    def test_what_fails_is_stored_and_rows_of_unit_tests_are_typed(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        """Whatever the columns of a failing query are, and those of the table that is given."""
        tested_models.build_and_check(_new(spark, tmp_path), self.file_format)

    def test_the_values_of_a_seed_are_those_of_its_file(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        """In the types of its config, to the edges of what these hold."""
        seed_values.build_and_check(_new(spark, tmp_path), self.file_format)

    @pytest.mark.long
    def test_a_table_may_have_many_columns(self, spark: SparkSession, tmp_path: Path) -> None:
        """Also one that is merged into, a view and a snapshot."""
        wide_tables.build_and_check(_new(spark, tmp_path), self.file_format)

    @pytest.mark.long
    def test_macros_of_dbt_utils_mean_what_they_say(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        """On columns and relations of the format."""
        utils_package.build_and_check(_new(spark, tmp_path), self.file_format)

    def test_comments_follow_the_model(self, project: Project) -> None:
        """In the catalog and in dbt's docs, whatever they say."""
        documented.build_and_check(project, self.file_format)

    def _in_format(self, files: Mapping[str, str]) -> dict[str, str]:
        return {path: text.replace("<format>", self.file_format) for path, text in files.items()}

    def _staged(self, project: Project) -> list[Row]:
        return project.rows(f"show tables in {{schema}}__ctas_spark like '{self.staged}'")

    def _tables(self, project: Project) -> list[str]:
        places = {"grown": self.grown_in}
        return [f"{places.get(name, '')}{project.schema}.{name}" for name in grown.TWICE]

    def _read(self, project: Project) -> dict[str, list[tuple[object, ...]]]:
        """The rows of each table; of the snapshot, without its times."""
        found = zip(grown.TWICE, self._tables(project), strict=True)
        return {
            name: sorted(map(tuple, project.rows(f"select {grown.COLUMNS[name]} from {table}")))
            for name, table in found
        }


def _new(spark: SparkSession, directory: Path) -> Project:
    conf = {"spark.app.name": spark.conf.get("spark.app.name") or ""}
    return Project(directory, f"dbt_{next(_numbers)}", conf)
