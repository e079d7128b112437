"""dbt on Spark with atomic tables.

dbt reads ``Plugin`` from here. It is made when it is used, so that the core
(``dbt.adapters.ctas_spark.staging``) can be imported without dbt.
"""

import importlib
from functools import cache
from typing import Any

OF_TEMPORARY = frozenset(
    (
        *("create_temporary_view", "create_temporary_table", "create_temporary_function"),
        *("drop_temporary_view", "drop_temporary_table", "drop_temporary_function"),
        *("list_temporary_views", "list_temporary_tables", "list_temporary_functions"),
        "resolve_path",
    )
)
"""Names of the module ``temporary``, which need PySpark alone."""


def __getattr__(name: str) -> Any:
    if name in OF_TEMPORARY:
        return getattr(importlib.import_module(f"{__name__}.temporary"), name)
    if name != "Plugin":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _plugin()


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
