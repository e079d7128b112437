"""Questions in SQL, whose answers are plain values: all that a client without a JVM needs."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Answer = Sequence[Mapping[str, Any]]
Ask = Callable[[str], Answer]
"""Run a statement; its rows by the names of their columns."""


def asking(spark: Any) -> Ask:
    """Ask a session, local or remote."""

    def ask(statement: str) -> Answer:
        return [row.asDict() for row in spark.sql(statement).collect()]

    return ask
