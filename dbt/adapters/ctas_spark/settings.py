"""What a node's statements set in the session that all nodes share; it ends with the node."""

import re
import threading
from contextlib import suppress
from typing import Any

import sqlparse
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from dbt.adapters.ctas_spark.staging import quoting

COMMENTS = r"(?:\s|/\*(?:[^*]|\*(?!/))*\*/|--[^\n]*\n)*"
SET = re.compile(
    rf"{COMMENTS}(?:SET\s+(`[^`]+`|[\w.:-]+)\s*=|RESET\s+(`[^`]+`|[\w.:-]+)|SET\s+TIME\s+ZONE\s)",
    re.IGNORECASE,
)
TIME_ZONE = "spark.sql.session.timeZone"
UNDEFINED = "<undefined>"
"""What Spark says of a setting that has no value."""


def statements(header: str) -> list[str]:
    """Those of a ``sql_header``, each by itself: Spark takes one at a time."""
    split = (one.strip().rstrip(";").strip() for one in sqlparse.split(header))
    return [one for one in split if one]


class SessionSettings:
    """The settings of a session that running nodes have set, and what they were before.

    A setting gets its old value back once every node that has set it has ended. Nodes that run at
    the same time see each other's.
    """

    def __init__(self, spark: Any) -> None:
        self._spark = spark
        self._guard = threading.Lock()
        self._before: dict[str, str] = {}
        self._setters: dict[str, set[object]] = {}

    def note(self, node: object, name: str) -> None:
        """The node is about to set it."""
        with self._guard:
            if name not in self._before:
                shown = self._spark.sql(f"SET {quoting.identifier(name)}").collect()
                self._before[name] = str(shown[0][1])
            self._setters.setdefault(name, set()).add(node)

    def restore(self, node: object) -> None:
        """The node has ended: set back what no other one has set."""
        with self._guard:
            for name in [name for name, nodes in self._setters.items() if node in nodes]:
                self._setters[name].remove(node)
                if not self._setters[name]:
                    del self._setters[name]
                    quoted, value = quoting.identifier(name), self._before.pop(name)
                    back = f"RESET {quoted}" if value == UNDEFINED else f"SET {quoted}={value}"
                    self._spark.sql(back).collect()


_of_sessions: dict[int, SessionSettings] = {}
"""The same for each thread, and for each invocation that shares the session."""


class NodeSettings:
    """What one node has set."""

    def __init__(self) -> None:
        self._session: SessionSettings | None = None

    def note(self, spark: Any, sql: str) -> None:
        """The node is about to run ``sql``, which may set something."""
        if found := SET.match(sql):
            self._session = _of_sessions.setdefault(id(spark), SessionSettings(spark))
            self._session.note(self, (found[1] or found[2] or TIME_ZONE).strip("`"))

    def restore(self) -> None:
        """The node has ended."""
        if self._session is not None:
            with suppress(Py4JError, PySparkException):  # an ended Spark has no settings
                self._session.restore(self)
