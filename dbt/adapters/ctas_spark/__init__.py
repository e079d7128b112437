"""dbt on Spark with atomic tables.

dbt reads ``Plugin`` from here. Names are loaded when they are used, so that the core
(``dbt.adapters.ctas_spark.staging``) can be imported without dbt.
"""

from importlib import import_module
from typing import Any

_HOME = {
    "CtasSparkAdapter": "dbt.adapters.ctas_spark.impl",
    "CtasSparkCredentials": "dbt.adapters.ctas_spark.credentials",
    "CtasSparkConnectionManager": "dbt.adapters.ctas_spark.connections",
}

__all__ = ["CtasSparkAdapter", "CtasSparkConnectionManager", "CtasSparkCredentials", "Plugin"]


def __getattr__(name: str) -> Any:
    if name == "Plugin":
        globals()[name] = _plugin()
    elif name in _HOME:
        globals()[name] = getattr(import_module(_HOME[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return globals()[name]


def _plugin() -> Any:
    """What dbt loads: the adapter, its profile and its macros, on top of dbt-spark's."""
    from dbt.adapters.base.plugin import AdapterPlugin  # noqa: PLC0415 (as the docstring says)
    from dbt.include import ctas_spark  # noqa: PLC0415 (as above)

    return AdapterPlugin(
        adapter=__getattr__("CtasSparkAdapter"),
        credentials=__getattr__("CtasSparkCredentials"),
        include_path=ctas_spark.PACKAGE_PATH,
        dependencies=["spark"],
    )
