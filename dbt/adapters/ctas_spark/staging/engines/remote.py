"""A Spark session on a server, however it is reached: this process has no JVM."""

import threading
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

from pyspark.errors import PySparkException

from dbt.adapters.ctas_spark.staging.engines.launch import DEFAULTS
from dbt.adapters.ctas_spark.staging.errors import ProfileError

CAN_BE_SET = "spark.sql."
NOT_A_SESSIONS = "CANNOT_MODIFY"

Server = TypeVar("Server")


class RemoteSessions(Generic[Server]):
    """The process's session on each server, opened by the first thread that asks.

    ``defaults`` are settings of each session that a user may overrule.
    """

    def __init__(
        self, opened: Callable[[Server], Any], defaults: Mapping[str, str] | None = None
    ) -> None:
        ours = {key: value for key, value in DEFAULTS.items() if key.startswith(CAN_BE_SET)}
        self._defaults = {**ours, **(defaults or {})}
        self._open = opened
        self._guard = threading.Lock()
        self._opened: dict[tuple[Server, frozenset[tuple[str, str]]], Any] = {}

    def get(self, server: Server, settings: Mapping[str, str]) -> Any:
        """The session.

        Raises:
            ClientNotInstalledError, ServerNotReachedError: as they say.
            ProfileError: the server refuses a setting.
        """
        key = (server, frozenset(settings.items()))
        with self._guard:
            if key not in self._opened:
                self._opened[key] = self._configured(self._open(server), settings)
            return self._opened[key]

    def close(self) -> None:
        """Release the sessions: the server ends what still runs in them."""
        with self._guard:
            for session in self._opened.values():
                session.stop()
            self._opened.clear()

    def _configured(self, session: Any, settings: Mapping[str, str]) -> Any:
        try:
            _set_all(session, {**self._defaults, **settings})
        except BaseException:
            session.stop()
            raise
        return session


def _set_all(session: Any, settings: Mapping[str, str]) -> None:
    refused = [key for key, value in settings.items() if not _is_set(session, key, value)]
    if refused:
        raise ProfileError(
            f"spark_conf holds settings that only the server can have: {', '.join(refused)}",
            left="nothing was started",
            remedy="start the server with them, and remove them from the profile",
        )


def _is_set(session: Any, key: str, value: str) -> bool:
    """False if the server says that no session may have a value of its own."""
    try:
        session.conf.set(key, value)
    except PySparkException as error:
        if not str(error.getCondition()).startswith(NOT_A_SESSIONS):
            raise
        return False
    return True
