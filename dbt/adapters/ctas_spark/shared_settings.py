"""What nodes set in a session that they share, as all do on a server; it ends with the node."""

import re
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any
from weakref import WeakKeyDictionary

from ctas_spark.engines.jvm import FAILURES
from dbt.adapters.ctas_spark.dbt_edge import logger
from dbt.adapters.ctas_spark.turns import Turn, Turns

COMMENTS = r"(?:\s|/\*(?:[^*]|\*(?!/))*\*/|--[^\n]*\n)*"
SET = re.compile(
    rf"{COMMENTS}(?:SET\s+(`[^`]+`|[\w.:-]+)\s*=|RESET\s+(`[^`]+`|[\w.:-]+)|SET\s+TIME\s+ZONE\s)(.*)",
    re.IGNORECASE | re.DOTALL,
)
OVERWRITE = re.compile(r"\bINSERT\s+OVERWRITE\b", re.IGNORECASE)
TIME_ZONE = "spark.sql.session.timeZone"
REDACTED = "(redacted)"
"""How the text ends that Spark's SQL shows instead of a secret."""


NOT_SET_BACK = (
    "{} keeps the value that this node sets until the run ends: the server hides the earlier "
    "value, which it takes for a secret"
)


class SessionSettings:
    """The settings of a session that running nodes have set, and what they were before.

    A setting gets its old value back once every node that has set it has ended.
    """

    def __init__(self) -> None:
        self.turns = Turns()
        self._guard = threading.Lock()
        self._before: dict[str, str | None] = {}
        self._setters: dict[str, set[object]] = {}

    def note(self, spark: Any, node: object, name: str) -> None:
        """The node is about to set it."""
        with self._guard:
            if name not in self._before:
                before = spark.conf.get(name, None)
                if before is not None and before.endswith(REDACTED):
                    logger.warning(NOT_SET_BACK.format(name))
                    return
                self._before[name] = before
            self._setters.setdefault(name, set()).add(node)

    def restore(self, spark: Any, node: object) -> None:
        """The node has ended: set back what no other one has set."""
        with self._guard:
            for name in [name for name, nodes in self._setters.items() if node in nodes]:
                self._setters[name].remove(node)
                if not self._setters[name]:
                    del self._setters[name]
                    with suppress(*FAILURES):  # an ended Spark has no settings
                        _set_back(spark, name, self._before.pop(name))


_of_sessions: WeakKeyDictionary[Any, SessionSettings] = WeakKeyDictionary()
"""The same for each thread, and for each invocation that shares the session."""
_guard = threading.Lock()


class NodeSettings:
    """What one node has set in the session ``spark``, and its turn there."""

    def __init__(self, spark: Any) -> None:
        with _guard:
            self._session = _of_sessions.setdefault(spark, SessionSettings())
        self._spark = spark
        self._turn = Turn()

    def note(self, sql: str, is_canceled: Callable[[], bool]) -> None:
        """The node is about to run ``sql``, which may set something: wait until it can."""
        found = SET.match(sql)
        name = (found[1] or found[2] or TIME_ZONE).strip("`") if found else ""
        self._session.turns.take(
            self._turn,
            {name: found[3].strip(" ;")} if found else {},
            overwrites=OVERWRITE.search(sql) is not None,
            is_canceled=is_canceled,
        )
        if found:
            self._session.note(self._spark, self, name)

    def restore(self) -> None:
        """The node has ended, or goes on in a session of its own."""
        self._session.restore(self._spark, self)
        self._session.turns.end(self._turn)


def _set_back(spark: Any, name: str, value: str | None) -> None:
    if value is None:
        spark.conf.unset(name)
    else:
        spark.conf.set(name, value)
