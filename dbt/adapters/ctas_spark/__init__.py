"""dbt on Spark with atomic tables.

dbt reads ``Plugin`` from here. It is made when it is used, so that the core
(``dbt.adapters.ctas_spark.staging``) can be imported without dbt.
"""

from functools import cache
from typing import Any


def __getattr__(name: str) -> Any:
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
