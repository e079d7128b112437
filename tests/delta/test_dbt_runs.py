"""dbt runs on Delta's catalog, by this adapter and by the stock one."""

from formats.dbt_runs import DbtRuns
from functional.dbt_project import Project


class TestDelta(DbtRuns):
    """All are in the session catalog, which is Delta's."""

    file_format = "delta"
    partition_by = "'day'"
    staged = "m__stage__*"
    grown_config = ", file_format='delta'"
    grown_in = ""
    says_affected_rows = True

    def commits(self, project: Project, table: str) -> int:
        return len(project.rows(f"describe history {table}"))

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
