"""dbt runs on Delta's catalog, by this adapter and by the stock one."""

import json
from pathlib import Path
from typing import ClassVar

import pytest
from pyspark.sql import SparkSession

from formats.dbt_runs import DbtRuns
from functional.changed_rows import APPENDS, IN_ANY_FORMAT, MERGED, SYNCS, Case
from functional.dbt_project import Project

WRITTEN_BY_DELTA = (
    *("same_columns", "too_big", "nested", "nested_overwritten", "null_keys", "null_partition"),
    *("unpartitioned", "constraint"),
)
"""What of ``IN_ANY_FORMAT`` is written, or refused, by Delta's own statements."""
MERGE = f"incremental_strategy='merge', unique_key='ID', {APPENDS}"


class TestDelta(DbtRuns):
    """All are in the session catalog, which is Delta's."""

    file_format = "delta"
    partition_by = "'day'"
    batched_by = "'day'"
    returning = ("s_time", "s_check")
    staged = "m__stage__*"
    grown_config = ", file_format='delta'"
    grown_in = ""
    says_affected_rows = True
    changed: ClassVar = {
        "dropped": Case(
            SYNCS,
            "select 1 as id, 2 as gone",
            "select 2 as id",
            ((1, 2),),
            "Delta can't drop it",
        ),
        "mapped": Case(
            f"{SYNCS}, tblproperties={{'delta.columnMapping.mode': 'name'}}",
            "select 1 as id, 2 as gone",
            "select 2 as id",
            ((1,), (2,)),
        ),
        "merged": Case(MERGE, "select 1 as id, 2 as gone", "select 1 as id", ((1, 2),)),
    }

    def commits(self, project: Project, table: str) -> int:
        return len(project.rows(f"describe history {table}"))

    @pytest.mark.long
    def test_what_rows_do_not_fit_is_known_before_the_table_changes(self, project: Project) -> None:
        """By the same comparison of columns as in Iceberg."""
        super().test_what_rows_do_not_fit_is_known_before_the_table_changes(project)

    def test_what_delta_writes_or_refuses_is_what_fits(self, project: Project) -> None:
        """By name, whatever its case and its place; the table changes only if all rows fit."""
        some = {name: IN_ANY_FORMAT[name] for name in WRITTEN_BY_DELTA}
        self.check_changed(project, {**some, **self.changed})

    @pytest.mark.long
    def test_rows_that_go_and_come_back_have_a_record_of_each_time(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        """Delta does it by the same MERGE as Iceberg."""
        super().test_rows_that_go_and_come_back_have_a_record_of_each_time(spark, tmp_path)

    @pytest.mark.long
    def test_what_fails_is_stored_and_rows_of_unit_tests_are_typed(
        self, spark: SparkSession, tmp_path: Path
    ) -> None:
        """By the same statements as in Iceberg."""
        super().test_what_fails_is_stored_and_rows_of_unit_tests_are_typed(spark, tmp_path)

    @pytest.mark.long
    def test_merged_rows_are_found_by_names_and_keys(self, project: Project) -> None:
        """By the same MERGE as Iceberg's."""
        self.check_changed(project, MERGED)

    def test_control_the_stock_adapter_replaces_a_delta_table_in_one_commit(
        self, project: Project
    ) -> None:
        """So a failure leaves the old table there, too; that nothing was lost it does not check."""
        model = "{{ config(materialized='table', file_format='delta') }} select 1 as a"
        failing = f"{model} {{% if var('fails', false) %}} + raise_error('no') {{% endif %}}"
        project.write({"models/m.sql": failing, "models/schema.yml": "", "models/plain.sql": ""})
        project.write_profile("spark")
        assert project.dbt("run", "--select", "m").success
        assert not project.dbt("run", "--select", "m", fails=True).success
        assert project.rows("select * from {schema}.m") == [(1,)]

    def test_a_model_is_a_table_then_a_view_and_back(self, project: Project) -> None:
        """As on files; a view over it reads what it is then."""
        model = "{{ config(materialized=var('as'), file_format='delta') }} select '{{ var('as') }}'"
        over = "{{ config(materialized='view') }} select k from {{ ref('m') }}"
        files = {"models/m.sql": f"{model} as k", "models/plain.sql": over}
        project.write({**files, "models/schema.yml": ""})
        for kind in ("table", "view", "incremental", "view"):
            project.build(**{"as": kind})
            assert project.rows("select k from {schema}.plain") == [(kind,)]

    def test_a_comment_of_any_text_stops_no_increment(self, project: Project) -> None:
        """dbt comments the columns after the rows are there: each failed run would add them again.

        dbt-spark's own statement knows no other escape than that of an apostrophe.
        """
        text = "its 'id' \\d\\"
        config = {"persist_docs": {"columns": True}}
        columns = [{"name": "n", "description": text}]
        docs = {"models": [{"name": "m", "config": config, "columns": columns}]}
        model = "{{ config(materialized='incremental', file_format='delta') }} select"
        files = {"models/m.sql": f"{model} {{{{ var('n') }}}} as n", "models/plain.sql": ""}
        project.write({**files, "models/schema.yml": json.dumps(docs)})
        for n in (1, 2):
            project.build(n=n)
        assert project.rows("select n from {schema}.m order by n") == [(1,), (2,)]
        (column, *_) = project.rows("describe {schema}.m")
        assert column.comment == text

    def test_the_rows_that_are_added_to_a_table_are_a_stream(self, project: Project) -> None:
        """Each comes once to a table of files; a Delta table can't be the target of one."""
        atomic, isolated = (
            f"{{{{ config(materialized='incremental', {one}) }}}} select"
            for one in (
                "atomicity='atomic', file_format='delta'",
                "atomicity='isolated', file_format='parquet'",
            )
        )
        of_stream = "n from stream {{ ref('m') }}"
        files = {
            "models/m.sql": f"{atomic} {{{{ var('n') }}}} as n",
            "models/plain.sql": f"{isolated} {of_stream}",
        }
        project.write({**files, "models/schema.yml": ""})
        for n in (1, 2):
            project.build(n=n)
        assert project.rows("select n from {schema}.plain order by n") == [(1,), (2,)]
        project.write({**files, "models/refused.sql": f"{atomic} {of_stream}"})
        told = project.dbt("run", "--select", "refused", n=3).message("refused")
        assert "file_format: the rows of a stream are published with its checkpoint" in told

    def test_only_the_partitions_that_a_model_means_are_replaced(self, project: Project) -> None:
        """Delta replaces those of all its columns."""
        unused = dict.fromkeys(("models/m.sql", "models/plain.sql", "models/schema.yml"), "")
        project.rows("create schema {schema}")
        project.rows(
            "create table {schema}.grown (id int, day string, region string) using delta "
            "partitioned by (day, region)"
        )
        old = "(1, 'a', 'us'), (2, 'a', 'eu'), (3, 'b', 'eu')"
        project.rows(f"insert into {{schema}}.grown values {old}")
        model = (
            "{{ config(materialized='incremental', incremental_strategy='insert_overwrite', "
            "file_format='delta', partition_by=<by>) }} "
            "select 9 as id, 'a' as day, 'eu' as region"
        )
        project.write({**unused, "models/grown.sql": model.replace("<by>", "['day']")})
        refused = project.dbt("run")
        assert "is partitioned by (day, region)" in refused.message("grown")
        assert project.rows("select count(*) from {schema}.grown") == [(3,)]
        project.write({"models/grown.sql": model.replace("<by>", "['region', 'DAY']")})
        run = project.dbt("run")
        assert run.success, run.log
        rows = project.rows("select id from {schema}.grown order by id")
        assert rows == [(1,), (3,), (9,)]
