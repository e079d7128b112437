"""Spark over Spark Connect: one session for an invocation, and the jobs in it."""

import os
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from typing import Any

import pyspark
from pyspark.errors import PySparkException

from ..errors import ClientNotInstalledError, ProfileError, ServerNotReachedError
from .launch import silence_query_loggers
from .protocol import StoppableJob
from .remote import RemoteSessions, set_all

INSTALL = "pip install 'dbt-ctas-spark[connect]'"
RETRIES_TO_OPEN = 3
RETRIES = 6
LONGEST_WAIT_MS = 10_000
"""PySpark's own retries go on for ten minutes; these for half a minute without a server."""
NO_SPARK_CONNECT = {
    "an http1.x server": "the server speaks HTTP at this port, and not Spark Connect: ",
    "Socket closed": "the server closed the connection; it probably speaks another protocol at "
    "this port, such as TLS (;use_ssl=true at the end of url) or Thrift: ",
}
"""What gRPC says of servers that do not speak it, and what that means."""
FOR_A_SERVER = "SPARK_CONNECT_MODE_ENABLED"
"""In the environment; ``SparkSession.builder.remote()`` sets it for the whole process."""


class ConnectJob(StoppableJob):
    """A tag on what a thread submits, so that no other run's statements are interrupted with it.

    A statement that has been stopped has ended. A task of it may take some moments more: the server
    does not tell. Clean-up that follows in this thread is not part of the job any more.
    """

    @property
    def _tag(self) -> str:
        return self.group.replace(",", " ")  # the one letter that a tag may not have

    def attach(self) -> None:
        self.spark.clearTags()
        self.spark.addTag(self._tag)

    def cancel(self) -> None:
        self.spark.interruptTag(self._tag)

    def stop(self) -> bool:
        """Interrupt until the server knows no running statement of it; False if it can't say."""
        self.spark.clearTags()
        try:
            return self._waits_for(lambda: not self.spark.interruptTag(self._tag))
        except (PySparkException, OSError):
            return False


def _opened(url: str, settings: Mapping[str, str]) -> Any:
    session = _session(url)
    try:
        _retry(session, RETRIES_TO_OPEN)
        _ = session.version  # the first call to the server
    except PySparkException as error:
        session.stop()
        raise ServerNotReachedError(
            f"the Spark Connect server of this profile does not answer: {reason(error)}",
            left="nothing was started",
            remedy="check host, port or url in the profile, that the server is running, and that "
            "this machine can reach it",
        ) from error
    _retry(session, RETRIES)
    set_all(session, settings)
    return session


def _session(url: str) -> Any:
    if pyspark.__version__.startswith("3."):
        raise ClientNotInstalledError(
            f"method: connect needs PySpark 4, and this is {pyspark.__version__}",
            left="nothing was started",
            remedy="install pyspark>=4, or use method: session",
        )
    try:
        from pyspark.sql.connect.session import SparkSession as ConnectSession  # noqa: PLC0415 (it needs more packages)
    except (ImportError, PySparkException) as error:
        raise ClientNotInstalledError(
            f"a package of Spark Connect's client is missing: {error}",
            left="nothing was started",
            remedy=INSTALL,
        ) from error
    silence_query_loggers()
    try:
        return closing_once(ConnectSession(connection=url))
    except (ValueError, PySparkException) as error:
        raise ProfileError(
            f"the profile's url is not one of Spark Connect: {error}",
            left="nothing was started",
            remedy="write it as sc://host:15002, or sc://host:15002/;token=...",
        ) from error


def closing_once(session: Any) -> Any:
    """The session, which is closed when it is stopped, and not once more when Python drops it.

    PySpark closes by waiting for the threads that all sessions of a process share. Where Python
    drops a session in one of these threads, that one waits for itself, and the next statement of
    any session for ever.
    """
    session.client.close = cache(session.client.close)
    return session


@contextmanager
def active_on_server(session: Any) -> Iterator[None]:
    """Let PySpark find the session in this thread, and make columns and functions for a server.

    Without that ``pyspark.sql.functions`` would look for a Spark in this process.
    """
    of_thread = type(session)._active_session  # noqa: SLF001 (it has no public way)
    before = getattr(of_thread, "session", None)
    of_thread.session = session
    try:
        with _FOR_A_SERVER:
            yield
    finally:
        of_thread.session = before


class _ForAServer:
    """PySpark's variable for that, while any thread needs it; a program's own stays."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._threads = 0
        self._is_ours = False

    def __enter__(self) -> None:
        with self._guard:
            self._threads += 1
            if self._threads == 1:
                self._is_ours = FOR_A_SERVER not in os.environ
                os.environ[FOR_A_SERVER] = "1"

    def __exit__(self, *_raised: object) -> None:
        with self._guard:
            self._threads -= 1
            if self._threads == 0 and self._is_ours:
                os.environ.pop(FOR_A_SERVER, None)


_FOR_A_SERVER = _ForAServer()


def _retry(session: Any, times: int) -> None:
    from pyspark.sql.connect.client.retries import DefaultPolicy  # noqa: PLC0415 (as above)

    policy = DefaultPolicy(max_retries=times, max_backoff=LONGEST_WAIT_MS)
    session.client.set_retry_policies([policy])


def reason(error: PySparkException) -> str:
    """The details of gRPC's status, without its frames, after what they mean of the server."""
    lines = [line.strip() for line in str(error).splitlines()]
    details = [line for line in lines if line.startswith("details = ")]
    said = details[0].removeprefix("details = ").strip('"') if details else lines[0]
    meant = (meaning for words, meaning in NO_SPARK_CONNECT.items() if words in said)
    return f"{next(meant, '')}{said}"


SESSIONS = RemoteSessions(_opened)
