"""Publish a Spark table by one atomic commit: begin, stage, then commit or abort.

This package knows Spark and its catalogs, and nothing of dbt. The names of ``PUBLIC`` are its
interface; each is loaded when it is used.
"""

from importlib import import_module
from typing import Any

PUBLIC = {
    "dataframe.table_writer": ("save_as", "create_table", "TableWriter", "StagedDataFrame"),
    "dataframe.maintenance": ("history", "rollback", "vacuum", "recover"),
    "publish.outcome": ("Publication",),
    "context": ("Atomicity", "OnConflict", "StagingPurpose"),
    "publish.version": ("Outcome",),
    "publish.rollback": ("RolledBack",),
    "retention.rules": ("Event", "Sweep"),
    "dataframe.temporary": (
        *("create_temporary_view", "create_temporary_table", "create_temporary_function"),
        *("drop_temporary_view", "drop_temporary_table", "drop_temporary_function"),
        *("list_temporary_views", "list_temporary_tables", "list_temporary_functions"),
        "resolve_path",
    ),
}
"""Names of the public API, by module; besides these, every error of ``errors``."""


def __getattr__(name: str) -> Any:
    home = next((module for module, names in PUBLIC.items() if name in names), None)
    if home is None and name.endswith("Error"):
        home = "errors"
    found = home and getattr(import_module(f"{__name__}.{home}"), name, None)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return found
