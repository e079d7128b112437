"""A node's ``grants``: dbt-spark's macros apply them, and where Spark has none they are refused."""

from ctas_spark.errors import NotSupportedError
from dbt.adapters.ctas_spark.invocation import Dbt, Invocation
from dbt.adapters.ctas_spark.project_macros import overridden

STEPS = ("apply_grants", "get_grant_sql", "get_dcl_statement_list", "call_dcl_statements")
"""dbt's macros from the config to a GRANT."""


def check(invocation: Invocation, dbt: Dbt) -> None:
    """Refuse grants before any hook and job, if it is proven that they would fail after the commit.

    Raises:
        NotSupportedError: Spark has no GRANT, and the project does not grant in another way.
    """
    state = invocation.node
    if not state.node.config.get("grants") or any(overridden(dbt, STEPS)):
        return
    if invocation.catalogs.lacks_grants:
        raise NotSupportedError(
            "grants are configured, but this Spark has no GRANT: its parser refuses the statement",
            table=state.table,
            left="unchanged; no hook and no job was started",
            remedy="remove grants, and grant the rights where they are enforced (the storage's "
            "permissions, Ranger); or add the extension that provides GRANT to "
            "spark.sql.extensions; or write a macro apply_grants that grants them in another way",
        )
