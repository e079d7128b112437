"""Macros of dbt-spark's that a project has overridden."""

import threading
from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any, Protocol

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
    "the macro {} of {} has no effect on tables that are staged: set configs (location_root, "
    "tblproperties, options, ...) instead"
)


class Project(Protocol):
    """A project and its macros."""

    config: Any

    def get_macro_resolver(self) -> Any:
        """dbt's manifest."""


def overridden(project: Project, names: Sequence[str]) -> Iterator[Any]:
    """The macros that the project, or one of its packages, has in place of dbt's of these names."""
    find, own = project.get_macro_resolver().find_macro_by_name, project.config.project_name
    for name in product(PREFIXES, names):
        macro = find("".join(name), own, None)
        if macro is not None and macro.package_name not in PACKAGES:
            yield macro


class UnusedMacros:
    """Those that would have had a say in dbt-spark's CREATE TABLE."""

    def __init__(self, project: Project) -> None:
        self._project = project
        self._guard = threading.Lock()
        self._is_reported = False

    def warn(self) -> None:
        """Name them, once in an invocation."""
        with self._guard:
            is_reported, self._is_reported = self._is_reported, True
        if not is_reported:
            for macro in overridden(self._project, CLAUSES):
                logger.warning(NOT_USED.format(macro.name, macro.package_name))
