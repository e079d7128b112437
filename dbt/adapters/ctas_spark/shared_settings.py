"""What nodes set in a session that they share, as all do on a server; it ends with the node."""

import re
import threading
from collections.abc import Callable
from typing import Any, cast
from weakref import WeakKeyDictionary

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from ctas_spark import quoting
from ctas_spark.engines.calls import is_unanswered
from ctas_spark.errors import ServerNotReachedError
from dbt.adapters.ctas_spark.dbt_edge import logger
from dbt.adapters.ctas_spark.turns import Turn, Turns

COMMENTS = r"(?:\s|/\*(?:[^*]|\*(?!/))*\*/|--[^\n]*\n)*"
SET = re.compile(
    rf"{COMMENTS}(?:SET\s+(`[^`]+`|[\w.:-]+)\s*=|RESET\s+(`[^`]+`|[\w.:-]+)|SET\s+TIME\s+ZONE\s)(.*)",
    re.IGNORECASE | re.DOTALL,
)
USE = re.compile(rf"{COMMENTS}(?:USE|SET\s+CATALOG)\s(.*)", re.IGNORECASE | re.DOTALL)
SCHEMA = "the current schema"
"""What USE sets, in messages next to names of settings."""
CURRENT = "SELECT current_catalog() AS c, current_schema() AS s"
OVERWRITE = re.compile(r"\bINSERT\s+OVERWRITE\b", re.IGNORECASE)
TIME_ZONE = "spark.sql.session.timeZone"
REDACTED = "(redacted)"
"""How the text ends that Spark's SQL shows instead of a secret."""


NOT_SET_BACK = (
    "{} keeps the value that this node sets until the run ends: the server hides the earlier "
    "value, which it takes for a secret"
)
STAYS_SET = (
    "{} could not be set back to its value from before this node, which is tried again before the "
    "next statement: {}"
)
STILL_SET = "{} still has the value that an earlier node has set, and can't be set back: {}"


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
                before = _value(spark, name)
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
        for name, error in self.set_back(spark).items():
            logger.warning(STAYS_SET.format(name, error))

    def set_back(self, spark: Any) -> dict[str, Exception]:
        """What no running node has set gets its old value; without an answer, at the next call.

        What Spark refuses to set back it has also refused to set, or it has ended.
        """
        unanswered: dict[str, Exception] = {}
        with self._guard:
            for name in [name for name in self._before if name not in self._setters]:
                try:
                    _set_back(spark, name, self._before[name])
                except (OSError, PySparkException, Py4JError) as error:
                    if is_unanswered(error):
                        unanswered[name] = error
                        continue
                del self._before[name]
        return unanswered


_of_sessions: WeakKeyDictionary[Any, SessionSettings] = WeakKeyDictionary()
"""One for each session, whichever thread or invocation uses it."""
_guard = threading.Lock()


class NodeSettings:
    """What one node has set in the session ``spark``, and its turn there."""

    def __init__(self, spark: Any) -> None:
        with _guard:
            self._session = _of_sessions.setdefault(spark, SessionSettings())
        self._spark = spark
        self._turn = Turn()

    def note(self, sql: str, is_canceled: Callable[[], bool]) -> None:
        """The node is about to run ``sql``, which may set something: wait until it can.

        Raises:
            ServerNotReachedError: what an earlier node has set could not be set back.
            NotSupportedError, JobCanceledError: as ``Turns.take`` says.
        """
        sets = _set_by(sql)
        overwrites = OVERWRITE.search(sql) is not None
        self._session.turns.take(self._turn, sets, overwrites=overwrites, is_canceled=is_canceled)
        for name, error in self._session.set_back(self._spark).items():
            raise ServerNotReachedError(
                STILL_SET.format(name, error),
                left="the next statement was not run under that value",
                remedy="run dbt again",
            ) from error
        for name in sets:
            self._session.note(self._spark, self, name)

    def restore(self) -> None:
        """The node has ended, or goes on in a session of its own."""
        self._session.restore(self._spark, self)
        self._session.turns.end(self._turn)


def _set_by(sql: str) -> dict[str, str]:
    """What a statement sets."""
    if found := USE.match(sql):
        return {SCHEMA: found[1].strip(" ;")}
    if found := SET.match(sql):
        return {(found[1] or found[2] or TIME_ZONE).strip("`"): found[3].strip(" ;")}
    return {}


def _value(spark: Any, name: str) -> str | None:
    if name != SCHEMA:
        return cast("str | None", spark.conf.get(name, None))
    (here,) = spark.sql(CURRENT).collect()
    return f"{quoting.identifier(here['c'])}.{here['s']}"  # Spark quotes the schema where it has to


def _set_back(spark: Any, name: str, value: str | None) -> None:
    if name == SCHEMA:
        spark.sql(f"USE {value}")
    elif value is None:
        spark.conf.unset(name)
    else:
        spark.conf.set(name, value)
