"""dbt runs on Iceberg's SparkSessionCatalog, by this adapter and by the stock one."""

from typing import ClassVar

import pytest
from pyspark.sql import SparkSession

from formats.dbt_runs import DbtRuns
from functional.changed_rows import APPENDS, MERGED, SYNCS, Case
from functional.dbt_project import Project
from functional.unstable_rows import DAY

BATCHED = (
    "{{ config(materialized='incremental', incremental_strategy='microbatch', event_time='at', "
    "batch_size='day', begin='2026-01-01', file_format='iceberg', partition_by='%s') }} "
    "select at, date_format(at, 'yyyy-MM') as month "
    "from (select timestamp'2026-01-01 12:00:00' + make_dt_interval(0, id) as at from range(1))"
)
PARTITIONED = (
    "{{ config(materialized='incremental', file_format='iceberg'<more>) }} "
    "{% set day = model.batch.event_time_start.strftime('%Y-%m-%d') if model.batch "
    "else '2026-01-01' %} select id, timestamp('{{ day }} 12:00:00Z') as at, '{{ day }}' as day "
    "from range(3)"
)
MERGE = f"incremental_strategy='merge', unique_key='ID', {APPENDS}"


class TestIceberg(DbtRuns):
    """One incremental model is in a catalog of Iceberg's own, which alone says its format."""

    file_format = "iceberg"
    partition_by = "['bucket(2, id)']"
    batched_by = "['days(at)']"
    returning = ("s_all", "s_gone")
    commits_of_three_batches = 4
    staged = "m__*"
    grown_config = ", database='jdbc'"
    grown_in = "jdbc."
    says_affected_rows = False
    rebuilt_by = "fast_forward"
    commits_of_a_build = 2
    changed: ClassVar = {
        **MERGED,
        "dropped": Case(SYNCS, "select 1 as id, 2 as gone", "select 2L as id", ((1,), (2,))),
        "merged": Case(MERGE, "select 1 as id, 2 as gone", "select 1 as id", ((1, 2),)),
    }

    def commits(self, project: Project, table: str) -> int:
        return len(project.rows(f"select * from {table}.snapshots"))

    def test_control_the_stock_adapter_leaves_no_table_when_a_model_raises(
        self, project: Project
    ) -> None:
        """It drops the table first."""
        model = "{{ config(materialized='table', file_format='iceberg') }} select 1 as a"
        failing = f"{model} {{% if var('fails', false) %}} + raise_error('no') {{% endif %}}"
        project.write({"models/m.sql": failing, "models/schema.yml": "", "models/plain.sql": ""})
        project.write_profile("spark")
        assert project.dbt("run", "--select", "m").success
        assert project.rows("show tables in {schema} like 'm'") != []
        assert not project.dbt("run", "--select", "m", fails=True).success
        assert project.rows("show tables in {schema} like 'm'") == []

    def test_a_batch_overwrites_no_partition_of_several(self, project: Project) -> None:
        """A coarser transform, or a column of coarser values, is refused before any job."""
        unused = dict.fromkeys(("models/m.sql", "models/plain.sql", "models/schema.yml"), "")
        coarse = {"transform": "months(at)", "column": "month"}
        project.write({**unused, **{f"models/{k}.sql": BATCHED % by for k, by in coarse.items()}})
        run = project.dbt("run", *DAY)
        assert "would lose the rows of the others; write days(at)" in run.log
        assert "or days(at) in Iceberg; or use atomicity: atomic for a table of files" in run.log
        assert "partition_by: a partition (month) with rows of the batch from 2026-01-01" in run.log
        for name in coarse:
            assert f"in model.tested.{name}; no job was started" in run.log
        assert project.rows("show tables in {schema} like 'transform|column'") == []

    @pytest.mark.parametrize(
        ("strategy", "was", "by"),
        [
            ("microbatch", "", "days(at)"),
            ("insert_overwrite", "['months(at)']", "days(at)"),
            ("insert_overwrite", "", "day"),
        ],
    )
    def test_partitions_that_the_table_has_not_are_refused(
        self, project: Project, strategy: str, was: str, by: str
    ) -> None:
        """Iceberg replaces those that it has: all rows of a table without any."""
        unused = dict.fromkeys(("models/m.sql", "models/plain.sql", "models/schema.yml"), "")

        def model(more: str) -> dict[str, str]:
            return {"models/grown.sql": PARTITIONED.replace("<more>", more)}

        project.write({**unused, **model(f", partition_by={was}" if was else "")})
        assert project.dbt("run").success
        batched = "event_time='at', batch_size='day', begin='2026-01-01'"
        then = f", incremental_strategy='{strategy}', partition_by=['{by}'], {batched}"
        project.write(model(then))
        run = project.dbt("run", *DAY)
        assert not run.success
        said = "is partitioned by (months(at))" if was else "the table is not partitioned"
        assert said in run.message("grown") or said in run.log
        assert project.rows("select count(*) from {schema}.grown") == [(3,)]
        project.write(model(f"{then}, full_refresh=true"))
        refreshed = project.dbt("run", *DAY)
        assert refreshed.success, refreshed.log
        project.write(model(then))
        again = project.dbt("run", *DAY)
        assert again.success, again.log

    def test_files_of_an_older_partitioning_are_not_doubled(self, project: Project) -> None:
        """Iceberg would leave them beside the rows that replace theirs."""
        unused = dict.fromkeys(("models/m.sql", "models/plain.sql", "models/schema.yml"), "")
        by_day = "event_time='at', batch_size='day', begin='2026-01-01', partition_by=['days(at)']"
        batched = f", incremental_strategy='microbatch', {by_day}"
        project.write({**unused, "models/grown.sql": PARTITIONED.replace("<more>", "")})
        assert project.dbt("run").success
        project.rows("alter table {schema}.grown add partition field days(at)")
        project.write({"models/grown.sql": PARTITIONED.replace("<more>", batched)})
        run = project.dbt("run", *DAY)
        assert "files of an older partitioning" in run.log, run.log
        assert project.rows("select count(*) from {schema}.grown") == [(3,)]
        table = f"spark_catalog.{project.schema}.grown"
        project.rows(
            f"call spark_catalog.system.rewrite_data_files(table => '{table}', "
            "options => map('rewrite-all', 'true'))"
        )
        again = project.dbt("run", *DAY)
        assert again.success, again.log
        assert project.rows("select count(*) from {schema}.grown") == [(3,)]

    def test_rows_that_would_go_where_nobody_reads_them_are_refused(self, project: Project) -> None:
        """A session with spark.wap.id only stages a commit, and its run succeeds."""
        unused = dict.fromkeys(("models/m.sql", "models/plain.sql", "models/schema.yml"), "")
        held = ", tblproperties={'write.wap.enabled': 'true'}"
        project.write({**unused, "models/grown.sql": PARTITIONED.replace("<more>", held)})
        assert project.dbt("run").success
        session = SparkSession.active()
        session.conf.set("spark.wap.id", "x")
        try:
            run = project.dbt("run")
        finally:
            session.conf.unset("spark.wap.id")
        assert "write.wap.enabled is true, and the session sets spark.wap.id" in run.message(
            "grown"
        )
        assert project.rows("select count(*) from {schema}.grown") == [(3,)]
