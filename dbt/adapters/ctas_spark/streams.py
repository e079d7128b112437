"""A model whose query is a stream: what its configuration has to say for that."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ctas_spark.context import Atomicity
from dbt.adapters.ctas_spark import increments
from dbt.adapters.ctas_spark.increments import WriteMode
from dbt.adapters.ctas_spark.relation import CtasSparkRelation

WORD = re.compile(r"\bSTREAM\b", re.IGNORECASE)
"""Without this word Spark 4 makes no stream of a query in SQL."""
STRATEGIES = (increments.APPEND, *increments.NO_STATEMENT)
NOT_INCREMENTAL = (
    "materialized: the query is a stream, whose new rows each run adds to the table; write "
    "incremental"
)
NATIVE = (
    "file_format: the rows of a stream are published with its checkpoint, in a version of a table "
    "of files; into a Delta or Iceberg table, start the stream by writeStream.toTable with "
    "Trigger.AvailableNow in code of your own"
)
OVER_A_SERVER = (
    "method: a stream's checkpoint is published with its rows, and only a Spark in dbt's own "
    "process can copy it; use method: session"
)
NOTHING_TAKEN = "{}: the preview takes no rows of its stream, because it writes no checkpoint"


def problems(config: Mapping[str, Any], table: CtasSparkRelation, by: WriteMode) -> Iterator[str]:
    """What an incremental model can't have if its query is a stream, each with the remedy."""
    if increments.is_native(config, table, by) or increments.asks_for_native(config):
        yield NATIVE
    strategy = increments.strategy_of(config)
    if strategy not in STRATEGIES:
        yield (
            f"incremental_strategy: {strategy} may drop rows that the stream does not deliver "
            f"again; "
            f"use one of {', '.join(STRATEGIES)}"
        )
    asked = config.get("atomicity") or Atomicity.AUTO.value
    if asked == Atomicity.NONE.value or (asked, strategy) == (Atomicity.AUTO, increments.APPEND):
        yield (
            "atomicity: rows that are added in place are written before their checkpoint, so a "
            "failure would repeat them; ask for isolated or atomic"
        )
