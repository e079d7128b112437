"""dbt on Spark with atomic tables, and the same commit for PySpark code.

dbt reads ``Plugin`` from here; PySpark code reads the names of ``PUBLIC``. Each is loaded when it
is used, so that nothing of dbt is needed but for the plugin.
"""

from functools import cache
from importlib import import_module
from typing import Any

PUBLIC = {
    "table_writer": ("save_as", "create_table", "TableWriter", "StagedDataFrame"),
    "maintenance": ("history", "rollback", "vacuum", "recover"),
    "staging.publish.outcome": ("Publication",),
    "staging.context": ("Atomicity", "OnConflict", "StagingPurpose"),
    "staging.publish.version": ("Outcome",),
    "staging.publish.rollback": ("RolledBack",),
    "staging.retention.rules": ("Event", "Sweep"),
    "temporary": (
        *("create_temporary_view", "create_temporary_table", "create_temporary_function"),
        *("drop_temporary_view", "drop_temporary_table", "drop_temporary_function"),
        *("list_temporary_views", "list_temporary_tables", "list_temporary_functions"),
        "resolve_path",
    ),
}
"""Names of the public API, by module; besides these, every error of ``staging.errors``."""


def __getattr__(name: str) -> Any:
    if name == "Plugin":
        return _plugin()
    home = next((module for module, names in PUBLIC.items() if name in names), None)
    if home is None and name.endswith("Error"):
        home = "staging.errors"
    found = home and getattr(import_module(f"{__name__}.{home}"), name, None)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return found


@cache
def _plugin() -> Any:
    """The adapter, its profile and its macros, on top of dbt-spark's."""
    from dbt.adapters.base.plugin import AdapterPlugin  # noqa: PLC0415 (as the docstring says)
    from dbt.adapters.ctas_spark.credentials import CtasSparkCredentials  # noqa: PLC0415 (as above)
    from dbt.adapters.ctas_spark.impl import CtasSparkAdapter  # noqa: PLC0415 (as above)
    from dbt.include import ctas_spark  # noqa: PLC0415 (as above)

    return AdapterPlugin(
        adapter=CtasSparkAdapter,  # type: ignore[arg-type]  # as of dbt's own adapters
        credentials=CtasSparkCredentials,
        include_path=ctas_spark.PACKAGE_PATH,
        dependencies=["spark"],
    )
