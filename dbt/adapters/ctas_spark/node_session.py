"""The Spark session of one node: the run's, until the node may change something in it."""

import re
from contextlib import suppress
from typing import Any, Protocol

from ctas_spark import temporary
from ctas_spark.catalogs.kinds import Catalogs
from ctas_spark.engines import clones, jvm
from ctas_spark.errors import NotSupportedError
from dbt.adapters.ctas_spark.relation import TEMPORARY
from dbt.adapters.ctas_spark.shared_settings import COMMENTS, NodeSettings

CHANGE = re.compile(
    rf"{COMMENTS}(?:(?:SET|RESET|USE|DECLARE|BEGIN|EXECUTE\s+IMMEDIATE|CACHE"
    r"|(?:CREATE(?:\s+OR\s+REPLACE)?|DROP)(?:\s+GLOBAL)?\s+TEMP(?:ORARY)?)\b"
    r"|DROP\s+VIEW(?:\s+IF\s+EXISTS)?\s+(?:`[^`]+`|\w+)\s*(?:;|$))",
    re.IGNORECASE,
)
"""Statements that change the session they run in."""
RESET = re.compile(rf"{COMMENTS}RESET\s*;?\s*$", re.IGNORECASE)
OPERATION = "operation"
"""What dbt calls a hook of the run, which changes the session for all nodes."""


class Uses(Protocol):
    """What runs a thread's statements in a session."""

    spark: Any

    @property
    def canceled(self) -> bool:
        """Whether the node was cancelled."""

    def use(self, spark: Any) -> None:
        """Run what follows in another session."""


class SessionsOfBatches:
    """Those of the first batches of models: dbt runs pre-hooks before these, and no others.

    The later batches of a model begin with what was set, used or created there.
    """

    def __init__(self) -> None:
        self._kept: dict[str, Any] = {}

    def before(self, node: Any) -> Any:
        """The session of the first batch, for a later one; None for any other node."""
        return self._kept.get(node.unique_id) if _is_batch(node) else None

    def keep(self, node: Any, session: Any) -> bool:
        """Keep a session for the later batches; False if there are none that need it."""
        if not _is_batch(node) or not node.config.get("pre_hook"):
            return False
        self._kept[node.unique_id] = session
        return True

    def close(self) -> None:
        """No batch comes any more."""
        kept, self._kept = self._kept, {}
        for session in kept.values():
            _forget(session)


class NodeSession:
    """Made when a node begins; what is set in a session that it shares is set back at its end.

    Nodes share one on a server, and those that make temporary objects share the run's.
    """

    def __init__(self, node: Any, batches: SessionsOfBatches) -> None:
        self._node, self._batches = node, batches
        self._is_of_node = getattr(node, "resource_type", OPERATION) != OPERATION
        self._may_part = self._is_of_node and not _makes_for_others(node)
        self._settings: NodeSettings | None = None
        self._own: Any = None
        self._of_run: Any = None
        self._uses: Uses | None = None
        self._catalogs: Catalogs | None = None

    def note(self, uses: Uses, sql: str) -> None:
        """The statement is about to run: wait until it can, beside what others have set."""
        if not self._is_of_node:
            return
        if RESET.match(sql):
            raise NotSupportedError(
                "RESET would also undo what the profile has set",
                left="it was not run",
                remedy="name the setting: RESET <name>",
            )
        if CHANGE.match(sql) and TEMPORARY not in sql:
            self.part(uses)
        if self._own is None:
            self._take_turn(uses, sql)

    def begin(self, node: Any, uses: Uses) -> None:
        """Part at once where it is known that the node runs its user's own statements, or did."""
        if may_change(node) or self._batches.before(node) is not None:
            self.part(uses)

    def part(self, uses: Uses) -> None:
        """From now on the node's statements run in a session of its own."""
        if self._may_part and self._own is None and jvm.is_local(uses.spark):
            self._take_turn(uses, "")  # so that it begins with nothing that a node has set
            before = self._batches.before(self._node)
            own = clones.clone(uses.spark if before is None else before)
            self._of_run, self._own, self._uses = uses.spark, own, uses
            uses.use(self._own)
            self._leave_shared()

    def catalogs(self, of_run: Catalogs) -> Catalogs:
        """The run's, for what the node's own session has to be asked."""
        if self._own is None:
            return of_run
        if self._catalogs is None:
            self._catalogs = of_run.in_session(self._own)
        return self._catalogs

    def end(self) -> None:
        """The node has ended, and what it has set."""
        self._leave_shared()
        own, self._own = self._own, None
        if own is not None and self._uses is not None:
            self._uses.use(self._of_run)
            if not self._batches.keep(self._node, own):
                _forget(own)

    def _take_turn(self, uses: Uses, sql: str) -> None:
        self._settings = self._settings or NodeSettings(uses.spark)
        self._settings.note(sql, lambda: uses.canceled)

    def _leave_shared(self) -> None:
        settings, self._settings = self._settings, None
        if settings is not None:
            settings.restore()


def may_change(node: Any) -> bool:
    """True if it is known before its first statement that the node runs its user's own.

    Its table is planned for the session in which its query runs.
    """
    config = node.config
    own = config.get("pre_hook"), config.get("sql_header"), node.language == "python"
    return any(own)


def _is_batch(node: Any) -> bool:
    return getattr(node, "batch", None) is not None


def _forget(session: Any) -> None:
    with suppress(*jvm.FAILURES):  # an ended Spark has no sessions
        temporary.forget_functions(session)
        jvm.forget_session(session)


def _makes_for_others(node: Any) -> bool:
    """True for a node that makes something which later nodes find in the session."""
    made = str(getattr(getattr(node, "config", None), "materialized", ""))
    return node.resource_type == "function" or made.startswith("temporary_")
