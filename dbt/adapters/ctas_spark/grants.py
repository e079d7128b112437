"""A node's ``grants``: dbt-spark's macros apply them, and where Spark has none they are refused."""

from itertools import product
from typing import Any

from dbt.adapters.ctas_spark.model_build import ModelSlot
from dbt.adapters.ctas_spark.staging.errors import NotSupportedError

PACKAGES = ("dbt", "dbt_spark")
PREFIXES = ("", "default__", "spark__", "ctas_spark__")
STEPS = ("apply_grants", "get_grant_sql", "get_dcl_statement_list", "call_dcl_statements")
"""dbt's macros from the config to a GRANT."""


def check(model: ModelSlot, adapter: Any) -> None:
    """Refuse grants before any hook and job, if it is proven that they would fail after the commit.

    Raises:
        NotSupportedError: Spark has no GRANT, and the project does not grant in another way.
    """
    if not model.node.config.get("grants") or _are_the_projects(adapter):
        return
    if adapter.catalogs.lacks_grants:
        raise NotSupportedError(
            "grants are configured, but this Spark has no GRANT: its parser refuses the statement",
            table=model.table,
            left="unchanged; no hook and no job was started",
            remedy="remove grants, and give the rights where they are kept (the storage's "
            "permissions, Ranger); or name the extension that brings GRANT in "
            "spark.sql.extensions; or write a macro apply_grants that grants in another way",
        )


def _are_the_projects(adapter: Any) -> bool:
    """Whether the project, or one of its packages, has macros of its own for grants."""
    find, project = adapter.get_macro_resolver().find_macro_by_name, adapter.config.project_name
    found = (find("".join(name), project, None) for name in product(PREFIXES, STEPS))
    return any(macro is not None and macro.package_name not in PACKAGES for macro in found)
