"""A Spark session on a server, however it is reached: this process has no JVM."""

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, TypeVar

from dbt.adapters.ctas_spark.staging import quoting
from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.engines.launch import DEFAULTS
from dbt.adapters.ctas_spark.staging.errors import ProfileError

CAN_BE_SET = "spark.sql."

Server = TypeVar("Server")


class RemoteStatements:
    """Runs SQL on the server."""

    def __init__(self, spark: Any) -> None:
        self._spark = spark

    def sql(self, statement: str) -> None:
        """Run a statement that returns nothing; the server runs a command at once."""
        self._spark.sql(statement)

    def refresh(self, name: TableName) -> None:
        """Drop the table from this session's caches; other sessions of the server keep theirs."""
        self.sql(f"REFRESH TABLE {quoting.table(name)}")


class RemoteSessions(Generic[Server]):
    """The process's session on each server, opened by the first thread that asks."""

    def __init__(self, opened: Callable[[Server, Mapping[str, str]], Any]) -> None:
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
                self._opened[key] = self._open(server, settings)
            return self._opened[key]

    def close(self) -> None:
        """Release the sessions: the server ends what still runs in them."""
        with self._guard:
            for session in self._opened.values():
                session.stop()
            self._opened.clear()


def wanted(settings: Mapping[str, str]) -> dict[str, str]:
    """The settings that a session gets: ours that it may have, and the user's over them."""
    ours = {key: value for key, value in DEFAULTS.items() if key.startswith(CAN_BE_SET)}
    return {**ours, **settings}


def refuse(settings: Iterable[str]) -> None:
    """Refuse the settings that only the server can have, all at once.

    Raises:
        ProfileError: there is one.
    """
    refused = ", ".join(settings)
    if refused:
        raise ProfileError(
            f"spark_conf holds settings that only the server can have: {refused}",
            left="nothing was started",
            remedy="start the server with them, and remove them from the profile",
        )
