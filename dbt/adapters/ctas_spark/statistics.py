"""The statistics of a published table in ``dbt docs``: what its job counted, in place of Spark's.

Spark has none of a partitioned table, and says "0 rows" of others: nobody told the metastore.
"""

import re
from collections.abc import Mapping
from typing import Any

from dbt.adapters.ctas_spark.staging.engines.protocol import WriteFigures

LOCATION = re.compile(r"^Location: .*/([^/\s]+)\s*$", re.MULTILINE)
COUNTED = "counted when version {} was published"


def version_shown(information: str | None) -> str:
    """The last part of a table's location, which is its version's id if it has one."""
    found = LOCATION.search(information or "")
    return found[1] if found else ""


def with_figures(column: Mapping[str, Any], version: str, figures: WriteFigures) -> dict[str, Any]:
    """One column of dbt's catalog, which repeats the statistics of its table."""
    told = {key: one for key, one in column.items() if not key.startswith("stats:rows:")}
    for name, value in (("bytes", figures.bytes), ("rows", figures.rows)):
        if value is not None:
            told[f"stats:{name}:label"] = name
            told[f"stats:{name}:value"] = value
            told[f"stats:{name}:description"] = COUNTED.format(version)
            told[f"stats:{name}:include"] = True
    return told
