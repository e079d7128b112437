"""dbt on Spark with atomic tables.

dbt reads ``Plugin`` from here. Names are loaded when they are used, so that the core
(``dbt.adapters.ctas_spark.staging``) can be imported without dbt.
"""

from importlib import import_module
from typing import Any

_HOME = {
    "Plugin": "dbt.adapters.ctas_spark.plugin",
    "CtasSparkAdapter": "dbt.adapters.ctas_spark.impl",
    "CtasSparkCredentials": "dbt.adapters.ctas_spark.credentials",
    "CtasSparkConnectionManager": "dbt.adapters.ctas_spark.connections",
}

__all__ = ["CtasSparkAdapter", "CtasSparkConnectionManager", "CtasSparkCredentials", "Plugin"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_HOME[name]), name)
