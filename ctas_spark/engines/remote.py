"""Spark sessions on a server, which this process reaches without a JVM."""

import threading
from collections.abc import Callable, Mapping
from typing import Any

from pyspark.errors import PySparkException

from .. import quoting
from ..context import TableName
from ..errors import ProfileError
from .calls import condition, is_unanswered
from .precedence import DEFAULTS

CAN_BE_SET = "spark.sql."
NOT_A_SESSIONS = "CANNOT_MODIFY"
NOWHERE = "/no/such/directory"
NO_PATH = "PATH_NOT_FOUND"


class ServerEngine:
    """Runs SQL in a session on a server."""

    def __init__(self, spark: Any) -> None:
        self._spark = spark

    @property
    def version(self) -> str:
        return str(self._spark.version)

    def sql(self, statement: str) -> None:
        self._spark.sql(statement)

    def refresh(self, name: TableName) -> None:
        self._spark.sql(f"REFRESH TABLE {quoting.table(name)}")

    def reads(self, file_format: str) -> bool:
        """Let it look for a path that is not there, which it does by its data source."""
        source = f"{quoting.identifier(file_format)}.{quoting.identifier(NOWHERE)}"
        try:
            self._spark.sql(f"DESCRIBE QUERY SELECT * FROM {source}")  # noqa: S608 (quoted)
        except PySparkException as error:
            if is_unanswered(error):
                raise
            return condition(error) == NO_PATH
        return True


class RemoteSessions:
    """The process's session on each server, opened by the first thread that asks.

    ``opened`` opens one with settings. ``defaults`` are settings of each session that a user may
    overrule.
    """

    def __init__(self, opened: Callable[[Any, Mapping[str, str]], Any], **defaults: str) -> None:
        ours = {key: value for key, value in DEFAULTS.items() if key.startswith(CAN_BE_SET)}
        self._defaults = {**ours, **defaults}
        self._open = opened
        self._guard = threading.Lock()
        self._opened: dict[tuple[Any, frozenset[tuple[str, str]]], Any] = {}

    def get(self, server: Any, settings: Mapping[str, str]) -> Any:
        """The session.

        Raises:
            ClientNotInstalledError, ServerNotReachedError: as they say.
            ProfileError: the server refuses a setting.
        """
        key = (server, frozenset(settings.items()))
        with self._guard:
            if key not in self._opened:
                self._opened[key] = self._open(server, {**self._defaults, **settings})
            return self._opened[key]

    def close(self) -> None:
        """Release the sessions: the server ends what still runs in them."""
        with self._guard:
            for session in self._opened.values():
                session.stop()
            self._opened.clear()


def set_all(session: Any, settings: Mapping[str, str]) -> None:
    """Set them in a session, which is closed if that fails.

    Raises:
        ProfileError: the server refuses some; it names all of them.
    """
    try:
        _set_all(session, settings)
    except BaseException:
        session.stop()
        raise


def _set_all(session: Any, settings: Mapping[str, str]) -> None:
    refused = []
    for key, value in settings.items():
        try:
            session.conf.set(key, value)
        except PySparkException as error:  # noqa: PERF203 (a few settings)
            if not str(error.getCondition()).startswith(NOT_A_SESSIONS):
                raise
            refused.append(key)
    if refused:
        raise ProfileError(
            f"spark_conf holds settings that only the server can have: {', '.join(refused)}",
            left="nothing was started",
            remedy="start the server with them, and remove them from the profile",
        )
