"""One connection to a Thrift server, in HiveServer2's protocol; for one thread at a time.

A request that does not end with an answer closes it, and nothing is ever sent twice.
"""

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from http.cookies import SimpleCookie
from types import MappingProxyType
from typing import Any

from pyhive.hive import _unwrap_column
from pyspark.sql.types import StructField
from TCLIService import TCLIService, ttypes
from thrift.protocol.TBinaryProtocol import TBinaryProtocol

from . import ThriftServer, channel, results
from .channel import Connected, pauses, words_of
from .http import HttpTransport, headers_to
from .results import (
    UNKNOWN_HANDLES,
    LostAnswerError,
    NoLineError,
    ServerError,
    TypeName,
    UnknownHandleError,
    values_of,
)

ANSWER_SECONDS = 600.0
IDLE_SECONDS = 60.0
"""After which a line is tried before a statement goes over it: a balancer may have forgotten it."""
REQUESTS = 200
"""Over HTTP, to try for one that meets the session's server."""
PREFIX = "set:hiveconf:"
"""Of a setting in a request for a session, as Hive's and Kyuubi's JDBC drivers send it."""
VERSION = ttypes.TProtocolVersion.HIVE_CLI_SERVICE_PROTOCOL_V6
"""Results in columns: the oldest that has what is needed here."""
ROWS = 1_000
SUFFIX = "_type"
NAMES = {"null": "void", "varchar": "string", "char": "string"}
"""PySpark's names of types where they differ from the protocol's."""
QUALIFIED = {"decimal": ("precision", "scale")}
FETCH = ttypes.TFetchOrientation
STATES = ttypes.TOperationState
RUNNING = (STATES.INITIALIZED_STATE, STATES.PENDING_STATE, STATES.RUNNING_STATE)


NO_SETTINGS: Mapping[str, str] = MappingProxyType({})
NOBODYS = ttypes.TGetInfoReq(
    ttypes.TSessionHandle(ttypes.THandleIdentifier(bytes(16), bytes(16))),
    ttypes.TGetInfoType.CLI_SERVER_NAME,
)
"""A question in no session."""


class Line:
    """Connected and authenticated from the start.

    Every call raises LostAnswerError without an answer, and ServerError for one that says no.
    ``cookies`` are shared by the lines of a session. ``leads_to_server`` once the server at the
    other end is known to have that session.
    """

    def __init__(self, server: ThriftServer, cookies: "SimpleCookie | None" = None) -> None:
        self.leads_to_server = False
        self._server = server
        self._is_closed = False
        self._used = time.monotonic()
        self._socket: Connected | None = None
        try:
            if server.http is None:
                self._open_socket()
            else:
                self._open_http(SimpleCookie() if cookies is None else cookies)
        except Exception as error:
            said = f"no connection to {server}: {words_of(error)}"
            raise NoLineError(said, may_pass=getattr(error, "may_pass", False)) from error

    @property
    def is_open(self) -> bool:
        """False once either side has closed it."""
        return not self._is_closed and (self._socket is None or self._socket.is_alive)

    @property
    def holds_its_session(self) -> bool:
        """True if the session that it has opened ends with it."""
        return self._socket is not None

    @property
    def answers(self) -> bool:
        """True if the server answers as soon as a connection has to be there; else it is closed."""
        with self._in_time():
            try:
                self.ask_nothing()
            except LostAnswerError:
                return False
        return True

    def ask_nothing(self) -> None:
        """Let something pass: a question in no session, for which Kyuubi starts no engine."""
        with suppress(ServerError, UnknownHandleError):  # an answer, too
            self._called("GetInfo", NOBODYS)

    @property
    def is_usable(self) -> bool:
        """False if it has been closed; one that was idle for long is tried."""
        if not self.is_open or self._socket is None:
            return self.is_open
        return time.monotonic() - self._used < IDLE_SECONDS or self.answers

    def open_session(self, settings: Mapping[str, str] = NO_SETTINGS) -> Any:
        """A session of the server's, with these settings; it ends with this line."""
        sent = {f"{PREFIX}{key}": value for key, value in settings.items()}
        user = self._server.access.login.name
        request = ttypes.TOpenSessionReq(client_protocol=VERSION, username=user, configuration=sent)
        return self._call("OpenSession", request).sessionHandle

    def close_session(self, session: Any) -> None:
        self._call("CloseSession", ttypes.TCloseSessionReq(session))

    def execute(self, session: Any, statement: str) -> Any:
        """Begin a statement in a session, of this line or another; its operation."""
        request = ttypes.TExecuteStatementReq(session, statement, runAsync=True)
        return self._call("ExecuteStatement", request).operationHandle

    def has_ended(self, operation: Any) -> bool:
        """Wait as long as the server lets; True once the statement has ended well."""
        answer = self._call("GetOperationStatus", ttypes.TGetOperationStatusReq(operation))
        if answer.errorMessage:
            raise results.failed(answer.errorMessage)
        if answer.operationState in RUNNING:
            return False
        if answer.operationState != STATES.FINISHED_STATE:
            raise results.ended(STATES._VALUES_TO_NAMES[answer.operationState])  # noqa: SLF001 (Thrift's own)
        return True

    def cancel(self, operation: Any) -> None:
        """End a statement, of this line or another."""
        self._call("CancelOperation", ttypes.TCancelOperationReq(operation))

    def columns(self, operation: Any) -> tuple[StructField, ...]:
        answer = self._call("GetResultSetMetadata", ttypes.TGetResultSetMetadataReq(operation))
        return tuple(_column(found) for found in answer.schema.columns)

    def rows(self, operation: Any, columns: tuple[StructField, ...]) -> Iterator[tuple[Any, ...]]:
        """All of them, also if some were fetched before."""
        fetch = ttypes.TFetchResultsReq(operation, FETCH.FETCH_FIRST, maxRows=ROWS)
        while found := self._call("FetchResults", fetch).results.columns:
            pairs = zip(columns, map(_unwrap_column, found), strict=True)
            block = list(zip(*(values_of(*pair) for pair in pairs), strict=True))
            if not block:
                return
            yield from block
            fetch.orientation = FETCH.FETCH_NEXT

    def forget(self, operation: Any) -> None:
        """Give back what the server keeps of a statement; one that still runs is cancelled."""
        self._call("CloseOperation", ttypes.TCloseOperationReq(operation))

    def close(self) -> None:
        if not self._is_closed:
            self._is_closed = True
            self._transport.close()

    def _call(self, method: str, request: Any) -> Any:
        """The answer, over HTTP of the server that the request is meant for.

        Each may lead to another behind a balancer, which does nothing with what it does not know.
        """
        for _ in range(0 if self.holds_its_session else REQUESTS - 1):
            with suppress(UnknownHandleError):
                return self._called(method, request)
        return self._called(method, request)

    def _called(self, method: str, request: Any) -> Any:
        try:
            answer = getattr(self._client, method)(request)
            self._used = time.monotonic()
        except Exception as error:
            self.close()
            reason = words_of(error)
            raise LostAnswerError(f"the Thrift server did not answer {method}: {reason}") from error
        except BaseException:  # what is left of the answer must not be taken for the next one
            self.close()
            raise
        status = answer.status
        if status.statusCode not in {
            ttypes.TStatusCode.SUCCESS_STATUS,
            ttypes.TStatusCode.SUCCESS_WITH_INFO_STATUS,
        }:
            raise _refused(method, status.errorMessage or f"{method} was refused")
        return answer

    def _open_socket(self) -> None:
        server = self._server
        self._socket = Connected(channel.opened(server.host, server.port, server.access))
        try:
            self._transport: Any = channel.logged_in(self._socket, server.host, server.access)
        except BaseException:
            self._socket.close()
            raise
        self._socket.setTimeout(ANSWER_SECONDS * 1_000)
        self._client = TCLIService.Client(TBinaryProtocol(self._transport))

    def _open_http(self, cookies: "SimpleCookie") -> None:
        """Nothing stays open between requests: the first one tries the path and the login."""
        server, access = self._server, self._server.access
        context = access.tls.context() if access.tls else None
        self._transport = HttpTransport(server.url, context, partial(headers_to, server), cookies)
        if not self._transport.using_proxy():
            channel.opened(server.host, server.port, access).close()
        self._client = TCLIService.Client(TBinaryProtocol(self._transport))
        with self._in_time():
            self._client.GetInfo(NOBODYS)

    @contextmanager
    def _in_time(self) -> Iterator[None]:
        """An answer that takes longer than a connection is none."""
        timed = self._socket or self._transport
        timed.setTimeout(self._server.access.seconds * 1_000)
        try:
            yield
        finally:
            timed.setTimeout(ANSWER_SECONDS * 1_000)


def _refused(method: str, said: str) -> Exception:
    if any(unknown in said for unknown in UNKNOWN_HANDLES):
        return UnknownHandleError(f"the Thrift server that was asked for {method} says: {said}")
    return results.failed(said)


def connected(server: ThriftServer, cookies: "SimpleCookie | None" = None) -> Line:
    """A line, tried again with growing pauses as often as the server's ``retries`` say.

    Raises:
        NoLineError: nothing answered, or what did can't be talked to.
    """
    for pause in pauses(server.retries):
        try:
            return Line(server, cookies)
        except NoLineError as error:
            if not error.may_pass:
                raise
        time.sleep(pause)
    return Line(server, cookies)


def _column(found: Any) -> StructField:
    """A column by the protocol's name for its type, such as DECIMAL_TYPE."""
    entry = found.typeDesc.types[0].primitiveEntry
    text = ttypes.TTypeId._VALUES_TO_NAMES[entry.type].lower().removesuffix(SUFFIX)  # noqa: SLF001 (Thrift's own)
    given = entry.typeQualifiers.qualifiers if entry.typeQualifiers is not None else {}
    known = [str(given[key].i32Value) for key in QUALIFIED.get(text, ()) if key in given]
    whole = f"{text}({','.join(known)})" if known else NAMES.get(text, text)
    return StructField(found.columnName, TypeName(whole))
