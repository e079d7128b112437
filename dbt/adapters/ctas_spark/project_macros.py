"""Macros of dbt-spark's that a project has written anew."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

from dbt.adapters.ctas_spark.dbt_edge import logger

PACKAGES = ("dbt", "dbt_spark", "dbt_ctas_spark")
PREFIXES = ("", "default__", "spark__", "ctas_spark__")
CLAUSES = (
    *("create_table_as", "create_csv_table", "file_format_clause", "location_clause"),
    *("options_clause", "comment_clause", "partition_cols", "clustered_cols"),
    "tblproperties_clause",
)
"""Those by which dbt-spark makes a table; one that is staged needs none of them."""
NOT_USED = (
    "the macro {} of {} is not used for a table that is staged: its configs (location_root, "
    "tblproperties, options, ...) say what such a table is"
)


def overridden(adapter: Any, names: Sequence[str]) -> Iterator[Any]:
    """The macros that the project, or one of its packages, has in place of dbt's of these names."""
    find, project = adapter.get_macro_resolver().find_macro_by_name, adapter.config.project_name
    for name in product(PREFIXES, names):
        macro = find("".join(name), project, None)
        if macro is not None and macro.package_name not in PACKAGES:
            yield macro


def warn_of_unused(adapter: Any) -> None:
    """Name the macros that would have had a say in dbt-spark's CREATE TABLE."""
    for macro in overridden(adapter, CLAUSES):
        logger.warning(NOT_USED.format(macro.name, macro.package_name))
