"""dbt runs on Iceberg's SparkSessionCatalog, by this adapter and by the stock one."""

from formats.dbt_runs import DbtRuns
from functional.dbt_project import Project


class TestIceberg(DbtRuns):
    """One incremental model is in a catalog of Iceberg's own, which alone says its format."""

    file_format = "iceberg"
    partition_by = "['bucket(2, id)']"
    batched_by = "['days(at)']"
    commits_of_three_batches = 4
    staged = "m__*"
    grown_config = ", database='jdbc'"
    grown_in = "jdbc."
    says_affected_rows = False
    rebuilt_by = "fast_forward"
    commits_of_a_build = 2

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
