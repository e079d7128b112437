"""What nodes set in a session that they share, as all do on a server; it ends with the node."""

import re
import threading
from contextlib import suppress
from typing import Any

from ctas_spark.engines.jvm import FAILURES
from ctas_spark.errors import NotSupportedError
from dbt.adapters.ctas_spark.dbt_edge import logger

COMMENTS = r"(?:\s|/\*(?:[^*]|\*(?!/))*\*/|--[^\n]*\n)*"
SET = re.compile(
    rf"{COMMENTS}(?:SET\s+(`[^`]+`|[\w.:-]+)\s*=|RESET\s+(`[^`]+`|[\w.:-]+)|SET\s+TIME\s+ZONE\s)(.*)",
    re.IGNORECASE | re.DOTALL,
)
TIME_ZONE = "spark.sql.session.timeZone"
REDACTED = "(redacted)"
"""How the text ends that Spark's SQL shows instead of a secret."""


NOT_SET_BACK = (
    "{} keeps the value that this node sets until the run ends: the server hides the earlier "
    "value, which it takes for a secret"
)


class SessionSettings:
    """The settings of a session that running nodes have set, and what they were before.

    A setting gets its old value back once every node that has set it has ended. Nodes that run at
    the same time see each other's, and must not set one to different values.
    """

    def __init__(self, spark: Any) -> None:
        self._spark = spark
        self._guard = threading.Lock()
        self._before: dict[str, str | None] = {}
        self._setters: dict[str, dict[object, str]] = {}

    def note(self, node: object, name: str, value: str) -> None:
        """The node is about to set it."""
        with self._guard:
            others = {one: of for one, of in self._setters.get(name, {}).items() if one is not node}
            if any(of != value for of in others.values()):
                raise NotSupportedError(
                    f"another node that runs at this time has set {name} to another value in the "
                    "session that both use",
                    left="it was not set",
                    remedy="set it in on-run-start or in the profile's spark_conf; or run dbt with "
                    "--threads 1",
                )
            if name not in self._before:
                before = self._spark.conf.get(name, None)
                if before is not None and before.endswith(REDACTED):
                    logger.warning(NOT_SET_BACK.format(name))
                    return
                self._before[name] = before
            self._setters.setdefault(name, {})[node] = value

    def restore(self, node: object) -> None:
        """The node has ended: set back what no other one has set."""
        with self._guard:
            for name in [name for name, nodes in self._setters.items() if node in nodes]:
                del self._setters[name][node]
                if not self._setters[name]:
                    del self._setters[name]
                    with suppress(*FAILURES):  # an ended Spark has no settings
                        self._set_back(name, self._before.pop(name))

    def _set_back(self, name: str, value: str | None) -> None:
        if value is None:
            self._spark.conf.unset(name)
        else:
            self._spark.conf.set(name, value)


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
            name = (found[1] or found[2] or TIME_ZONE).strip("`")
            self._session.note(self, name, found[3].strip(" ;"))

    def restore(self) -> None:
        """The node has ended."""
        if self._session is not None:
            self._session.restore(self)
