"""Nodes that Spark has nothing for: each is refused by name, before any hook."""

from ctas_spark.errors import NotSupportedError
from dbt.adapters.ctas_spark.invocation import Dbt, Invocation
from dbt.adapters.ctas_spark.project_macros import overridden
from dbt.adapters.ctas_spark.relation import CtasSparkRelation

LEFT = "unchanged; no hook and no job was started"
OF_GRANTS = ("apply_grants", "get_grant_sql", "get_dcl_statement_list", "call_dcl_statements")
"""dbt's macros from a node's ``grants`` to a GRANT."""


class Refusals:
    """What the macros of such nodes call."""

    def __init__(self, invocation: Invocation) -> None:
        self._invocation = invocation

    def materialized_view(self) -> None:
        """dbt's own materialization fails as well, but runs hooks first, and gives no reason."""
        raise NotSupportedError(
            "a materialized view can't be made: Spark's catalogs have none, and its CREATE "
            "MATERIALIZED VIEW is for declarative pipelines alone",
            table=self._invocation.node.table,
            left=LEFT,
            remedy="set materialized to table or incremental, which are refreshed by each run of "
            "dbt, or to view",
        )

    def temporary_table(self) -> None:
        """FLIP-64's temporary tables are of data that exists."""
        raise NotSupportedError(
            "a temporary table can't be made from a query: temporary tables show data that exists",
            table=self._invocation.node.table,
            left=LEFT,
            remedy="set materialized to temporary_view",
        )

    def overloads(self, function: CtasSparkRelation) -> None:
        """Each would be created by CREATE OR REPLACE, in place of the one before it."""
        raise NotSupportedError(
            "a function can't have overloads: Spark tells functions apart by their names alone",
            table=function.full_name,
            left=LEFT,
            remedy="give the function of each file in overloads a name of its own",
        )


def refuse_grants(invocation: Invocation, dbt: Dbt) -> None:
    """Refuse grants before any hook and job, if it is proven that they would fail after the commit.

    Raises:
        NotSupportedError: Spark has no GRANT, and the project does not grant in another way.
    """
    state = invocation.node
    if not state.node.config.get("grants") or any(overridden(dbt, OF_GRANTS)):
        return
    if invocation.catalogs.lacks_grants:
        raise NotSupportedError(
            "grants are configured, but this Spark has no GRANT: its parser refuses the statement",
            table=state.table,
            left=LEFT,
            remedy="remove grants, and grant the rights where they are enforced (the storage's "
            "permissions, Ranger); or add the extension that provides GRANT to "
            "spark.sql.extensions; or write a macro apply_grants that grants them in another way",
        )
