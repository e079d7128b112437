"""A session of a Thrift server, and the jobs in it.

All threads share one session: what one of them publishes and refreshes, the others see. Each thread
has a connection of its own. The session ends with the connection that opened it, which is used for
nothing else but signs of life.
"""

import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from http.cookies import SimpleCookie
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeVar

from pyspark.sql.types import StructField

from ... import quoting
from ...errors import ClientNotInstalledError, ServerNotReachedError
from ..protocol import POLL_SECONDS, StoppableJob
from ..remote import NOT_A_SESSIONS, RemoteSessions, set_all
from . import ThriftServer, results
from .channel import pauses
from .results import (
    LostAnswerError,
    NoLineError,
    ServerError,
    ThriftResult,
    UnknownHandleError,
)

if TYPE_CHECKING:
    from .line import Line

T = TypeVar("T")
INSTALL = "pip install 'dbt-ctas-spark[thrift]'"
DEFAULTS = {"spark.sql.thriftServer.interruptOnCancel": "true"}
"""A task that is cancelled ends at once, as with the other methods; Spark 3 has another default."""
NO_SETTINGS: Mapping[str, str] = MappingProxyType({})
LINES = 20
"""Connections to try for one that leads to the session's server: a balancer takes turns."""
COMMENTS = r"(?:\s|/\*(?:[^*]|\*(?!/))*\*/|--[^\n]*\n)*"
READS = re.compile(rf"{COMMENTS}(?:SELECT|SHOW|DESC|DESCRIBE|EXPLAIN)\b", re.IGNORECASE)
"""Statements that may run twice; WITH may begin an INSERT."""
KEEPS = re.compile(
    rf"{COMMENTS}(?:SELECT|SHOW|DESC|DESCRIBE|EXPLAIN|REFRESH|CREATE|DROP|ALTER|INSERT)\b",
    re.IGNORECASE,
)
"""Statements that change no setting of the session; EXECUTE IMMEDIATE and scripts may."""
KEEP_SECONDS = 30.0
"""Between signs of life: many balancers end a connection that is idle for a minute."""
LEAVE_SECONDS = 10.0
"""To wait, at the end, for the answer to such a sign."""
UNSET = "<undefined>"
"""What SET answers for a key without a value."""


@dataclass(slots=True, eq=False)
class Running:
    """A statement that was sent and whose end is not known; the answer names its operation."""

    operation: Any = None


class ThriftSession:
    """What is used of PySpark's session, over a Thrift server.

    ``connect`` opens a connection. The server keeps a session's operations in a set without a
    lock: so they are begun and forgotten one at a time. What reads is tried again ``retries``
    times, with growing pauses; what writes is never sent twice.
    """

    def __init__(
        self,
        connect: Callable[[], "Line"],
        settings: Mapping[str, str] = NO_SETTINGS,
        retries: int = 0,
    ) -> None:
        self.conf = Settings(self)
        self._connect = connect
        self._retries = retries
        self._thread = threading.local()
        self._guard = threading.Lock()
        self._held = threading.Lock()
        self._stopped = threading.Event()
        self._lines = [connect()]
        try:
            self._session, refused = self._begun(self._lines[0], settings)
        except BaseException:
            self._lines[0].close()
            raise
        if self._lines[0].holds_its_session:
            threading.Thread(target=self._keep, daemon=True).start()
        set_all(self, refused)

    @cached_property
    def version(self) -> str:
        return str(self.sql("SELECT version() AS v").collect()[0]["v"]).split()[0]

    def sql(self, statement: str) -> ThriftResult:
        """Run a statement to its end, and fetch what it returns.

        Raises:
            ServerError: it failed.
            LostAnswerError: there is no answer; it may still be running. Only what reads is sent
                again.
        """
        if READS.match(statement):
            return self.ask(statement)
        try:
            return self._run(statement)
        finally:
            if not KEEPS.match(statement):
                self.conf.forget()

    def ask(self, statement: str) -> ThriftResult:
        """The same for a statement that only reads, whatever it begins with."""
        return self._tried_again(lambda: self._run(statement))

    def attach(self, job: "ThriftJob | None") -> None:
        """Make what this thread submits from now on part of the job; None: of no job."""
        self._thread.job = job

    def cancel(self, operation: Any) -> bool:
        """Cancel a statement; True once it has ended, well or not.

        Over this thread's connection: that of the statement's own thread waits for it.

        Raises:
            OSError: the server does not say.
        """
        try:
            self._at_server(lambda line: line.cancel(operation))
            return self._at_server(lambda line: line.has_ended(operation))
        except ServerError:
            return True

    def stop(self) -> None:
        """Close the session, and with it every statement of it that still runs."""
        self._stopped.set()
        if self._held.acquire(timeout=LEAVE_SECONDS):  # else a sign of life waits for its answer
            with suppress(ServerError, OSError):
                self._lines[0].close_session(self._session)
            self._held.release()
        for line in list(self._lines):
            line.close()

    def _run(self, statement: str) -> ThriftResult:
        job = self._own_job()
        self._own_line()  # without one, nothing of the job runs
        with job.running() as running:
            running.operation = self._begin(statement)
            try:
                while not self._has_ended(running.operation):
                    if job.is_ending:
                        self._at_server(lambda line: line.cancel(running.operation))
                    time.sleep(POLL_SECONDS)
                columns, rows = self._tried_again(lambda: self._fetched(running.operation))
            finally:
                self._forget(running.operation)
        return ThriftResult(columns, rows, lambda: self._described(statement))

    def _has_ended(self, operation: Any) -> bool:
        """Wait as long as the server lets; the answer may come over another line than before."""
        return self._tried_again(lambda: self._at_server(lambda line: line.has_ended(operation)))

    def _fetched(self, operation: Any) -> tuple[tuple[StructField, ...], tuple[Any, ...]]:
        columns = self._at_server(lambda line: line.columns(operation))
        return columns, self._at_server(lambda line: tuple(line.rows(operation, columns)))

    def _tried_again(self, ask: Callable[[], T]) -> T:
        """What may be asked twice, with a growing pause after each answer that was lost."""
        for pause in pauses(self._retries):
            try:
                return ask()
            except NoLineError:  # noqa: PERF203 (a few attempts)
                raise
            except LostAnswerError:
                time.sleep(pause)
        return ask()

    def _begun(self, line: "Line", settings: Mapping[str, str]) -> tuple[Any, Mapping[str, str]]:
        """A session, and the settings that it still has to get: one that has none is told of all.

        A server that starts an engine for the session, as Kyuubi does, takes more settings now
        than later. Spark's own refuses the session over the first setting that it can't have.
        """
        try:
            return line.open_session(settings), NO_SETTINGS
        except ServerError as error:
            if NOT_A_SESSIONS not in str(error):
                raise
            return line.open_session(), settings

    def _keep(self) -> None:
        """Give a balancer, which may end idle connections, signs of life of the session's.

        The session ends with its line: so a server that pauses is waited for, as by a statement.
        """
        line = self._lines[0]
        while not self._stopped.wait(KEEP_SECONDS):
            with self._held:
                if self._stopped.is_set() or not line.is_open:
                    return
                try:
                    line.ask_nothing()
                except LostAnswerError:
                    return

    def _begin(self, statement: str) -> Any:
        try:
            with self._guard:
                return self._at_server(lambda line: line.execute(self._session, statement))
        except UnknownHandleError as error:
            raise results.no_session() from error

    def _at_server(self, ask: Callable[["Line"], T]) -> T:
        """What this session's server says, over this thread's line.

        Behind a balancer a new line may lead to another server, which does nothing with what it
        does not know: so the next one is tried.
        """
        for _ in range(LINES):
            line = self._own_line()
            try:
                answer = ask(line)
            except UnknownHandleError:
                if line.leads_to_server or not line.holds_its_session:
                    raise
                line.close()
            else:
                line.leads_to_server = True
                return answer
        raise UnknownHandleError(f"none of {LINES} connections led to the session's server")

    def _own_line(self) -> "Line":
        line: Line | None = getattr(self._thread, "line", None)
        if line is not None and line.is_usable:
            return line
        if line is not None:
            self._thread.line = None
            self._lines.remove(line)
            line.close()
        if self._stopped.is_set():
            raise NoLineError("the session was closed by this process", may_pass=False)
        line = self._thread.line = self._connect()
        self._lines.append(line)
        return line

    def _own_job(self) -> "ThriftJob":
        return getattr(self._thread, "job", None) or ThriftJob(self, "", threading.Event())

    def _forget(self, operation: Any) -> None:
        line: Line | None = self._thread.line
        if line is not None and line.is_open:
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
    """The session's settings; a value is asked for once, until a statement may have changed it."""

    def __init__(self, session: ThriftSession) -> None:
        self._session = session
        self._known: dict[str, str] = {}

    def get(self, key: str, default: str | None = None) -> str | None:
        known = self._known
        if key not in known:
            # another thread's statement that ends meanwhile takes the values with it
            found = self._session.ask(f"SET {quoting.identifier(key)}").collect()
            known[key] = str(found[0]["value"])
        return default if known[key] == UNSET else known[key]

    def forget(self) -> None:
        """A statement has ended that may have changed some."""
        self._known = {}

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


def _opened(server: ThriftServer, settings: Mapping[str, str]) -> ThriftSession:
    try:
        from .line import connected  # noqa: PLC0415 (an extra brings it)
    except ImportError as error:
        raise ClientNotInstalledError(
            f"a package of the Thrift client is missing: {error}",
            left="nothing was started",
            remedy=INSTALL,
        ) from error
    cookies = SimpleCookie()
    try:
        return ThriftSession(lambda: connected(server, cookies), settings, server.retries)
    except (ServerError, OSError) as error:
        raise ServerNotReachedError(
            f"the Thrift server of this profile does not answer: {error}",
            left="nothing was started",
            remedy="check host, port, auth and user in the profile, and use_ssl and "
            "use_http_transport, which have to be the server's; that the server is running, and "
            "that this machine can reach it",
        ) from error


SESSIONS = RemoteSessions(_opened, **DEFAULTS)
