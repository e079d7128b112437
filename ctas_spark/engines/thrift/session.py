"""A session of a Thrift server, and the jobs in it.

All threads share one session: what one of them publishes and refreshes, the others see. Each thread
has a connection of its own. The session ends with the connection that opened it, which is used for
nothing else.
"""

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ... import quoting
from ...errors import ClientNotInstalledError, ServerNotReachedError
from ..protocol import POLL_SECONDS, StoppableJob
from ..remote import RemoteSessions
from . import ThriftServer, results
from .results import ServerError, ThriftResult

if TYPE_CHECKING:
    from .line import Line

INSTALL = "pip install 'dbt-ctas-spark[thrift]'"
DEFAULTS = {"spark.sql.thriftServer.interruptOnCancel": "true"}
"""A task that is cancelled ends at once, as with the other methods; Spark 3 has another default."""
NO_SESSION = "Invalid SessionHandle"
UNSET = "<undefined>"
"""What SET answers for a key without a value."""


@dataclass(slots=True, eq=False)
class Running:
    """A statement that was sent and whose end is not known; the answer names its operation."""

    operation: Any = None


class ThriftSession:
    """What is used of PySpark's session, over a Thrift server.

    ``connect`` opens a connection. The server keeps a session's operations in a set without a
    lock: so they are begun and forgotten one at a time.
    """

    def __init__(self, connect: Callable[[], "Line"]) -> None:
        self.conf = Settings(self)
        self._connect = connect
        self._thread = threading.local()
        self._guard = threading.Lock()
        self._lines = [connect()]
        try:
            self._session = self._lines[0].open_session()
        except ServerError:
            self._lines[0].close()
            raise

    @property
    def version(self) -> str:
        return str(self.sql("SELECT version() AS v").collect()[0]["v"]).split()[0]

    def sql(self, statement: str) -> ThriftResult:
        """Run a statement to its end, and fetch what it returns.

        Raises:
            ServerError: it failed.
            LostAnswerError: there is no answer; it may still be running. It is not sent again.
        """
        job, line = self._own_job(), self._own_line()
        with job.running() as running:
            running.operation = self._begin(line, statement)
            try:
                while not line.has_ended(running.operation):
                    if job.is_ending:
                        line.cancel(running.operation)
                    time.sleep(POLL_SECONDS)
                columns = line.columns(running.operation)
                rows = tuple(line.rows(running.operation, columns))
            finally:
                self._forget(line, running.operation)
        return ThriftResult(columns, rows, lambda: self._described(statement))

    def attach(self, job: "ThriftJob | None") -> None:
        """Make what this thread submits from now on part of the job; None: of no job."""
        self._thread.job = job

    def cancel(self, operation: Any) -> bool:
        """Cancel a statement; True once it has ended, well or not.

        Over this thread's connection: that of the statement's own thread waits for it.

        Raises:
            OSError: the server does not say.
        """
        line = self._own_line()
        try:
            line.cancel(operation)
            return line.has_ended(operation)
        except ServerError:
            return True

    def stop(self) -> None:
        """Close the session, and with it every statement of it that still runs."""
        with suppress(ServerError, OSError):
            self._lines[0].close_session(self._session)
        for line in self._lines:
            line.close()

    def _begin(self, line: "Line", statement: str) -> Any:
        try:
            with self._guard:
                return line.execute(self._session, statement)
        except ServerError as error:
            if NO_SESSION not in str(error):
                raise
            raise results.no_session() from error

    def _own_line(self) -> "Line":
        line: Line | None = getattr(self._thread, "line", None)
        if line is None or not line.is_open:
            line = self._thread.line = self._connect()
            self._lines.append(line)
        return line

    def _own_job(self) -> "ThriftJob":
        return getattr(self._thread, "job", None) or ThriftJob(self, "", threading.Event())

    def _forget(self, line: "Line", operation: Any) -> None:
        if line.is_open:
            with self._guard, suppress(ServerError, OSError):
                line.forget(operation)

    def _described(self, statement: str) -> Mapping[str, str]:
        """The types of a query's columns; nothing of another statement."""
        try:
            rows = self.sql(f"DESCRIBE QUERY {statement}").collect()
        except ServerError:
            return {}
        return {str(row["col_name"]): str(row["data_type"]) for row in rows}


class Settings:
    """The session's settings."""

    def __init__(self, session: ThriftSession) -> None:
        self._session = session

    def get(self, key: str, default: str | None = None) -> str | None:
        value = str(self._session.sql(f"SET {quoting.identifier(key)}").collect()[0]["value"])
        return default if value == UNSET else value

    def set(self, key: str, value: str) -> None:
        name, text = quoting.identifier(key), quoting.identifier(value)
        self._session.sql(f"SET {name}={text}")

    def unset(self, key: str) -> None:
        self._session.sql(f"RESET {quoting.identifier(key)}")


@dataclass(eq=False)
class ThriftJob(StoppableJob):
    """The statements of one model, so that no other's are cancelled with them.

    A statement that has been stopped has ended. A task of it may take some moments more: the server
    does not tell. Clean-up that follows in this thread is not part of the job any more.
    """

    is_ending: bool = field(default=False, init=False)
    _running: list[Running] = field(default_factory=list, init=False)

    def attach(self) -> None:
        self.spark.attach(self)

    def complete(self, frame: Any) -> None:
        """Nothing: the server has computed it, and its rows were fetched."""

    def cancel(self) -> None:
        """What begins only now is cancelled by the thread that waits for it."""
        self.is_ending = True
        for running in list(self._running):
            if running.operation is not None:
                with suppress(OSError):
                    self.spark.cancel(running.operation)

    def stop(self) -> bool:
        """Cancel until no statement of the job runs; False if the server can't say."""
        self.spark.attach(None)
        if any(running.operation is None for running in self._running):
            return False
        try:
            return self._waits_for(lambda: all(map(self._has_ended, list(self._running))))
        except OSError:
            return False

    @contextmanager
    def running(self) -> Iterator[Running]:
        """A statement of the job's; it stays one if nobody knows whether it has ended."""
        running = Running()
        self._running.append(running)
        try:
            yield running
        except ServerError:
            self._running.remove(running)
            raise
        self._running.remove(running)

    def _has_ended(self, running: Running) -> bool:
        if not self.spark.cancel(running.operation):
            return False
        self._running.remove(running)
        return True


def _opened(server: ThriftServer) -> ThriftSession:
    try:
        from .line import Line  # noqa: PLC0415 (an extra brings it)
    except ImportError as error:
        raise ClientNotInstalledError(
            f"a package of the Thrift client is missing: {error}",
            left="nothing was started",
            remedy=INSTALL,
        ) from error
    try:
        return ThriftSession(lambda: Line(server))
    except (ServerError, OSError) as error:
        raise ServerNotReachedError(
            f"the Thrift server of this profile does not answer: {error}",
            left="nothing was started",
            remedy="check host, port, auth and user in the profile, that the server is running, "
            "and that this machine can reach it",
        ) from error


SESSIONS = RemoteSessions(_opened, **DEFAULTS)
