"""A Thrift server of HiveServer2's protocol on loopback, whose statements are made up."""

import itertools
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from typing import Any

from TCLIService import TCLIService, ttypes
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport, TFramedTransport

from ctas_spark.engines.thrift import ThriftServer
from ctas_spark.engines.thrift.channel import LDAP, NOSASL, Access, Login

HOST = "127.0.0.1"
STATES = ttypes.TOperationState
OK = ttypes.TStatus(statusCode=ttypes.TStatusCode.SUCCESS_STATUS)
WAIT_SECONDS = 0.2
PREFIX = "set:hiveconf:"
SASL_BAD, SASL_COMPLETE = 3, 5


class HungUpError(Exception):
    """The server closes the connection instead of an answer."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Columns as (name, type), the type as in ``TTypeId``, or DECIMAL(10,2); then rows."""

    columns: tuple[tuple[str, str], ...] = (("Result", "STRING"),)
    rows: tuple[tuple[Any, ...], ...] = ()


NO_SESSION, NO_STATEMENT = "Invalid SessionHandle", "Invalid OperationHandle"


@dataclass(eq=False)
class Operation:
    """A statement of a session."""

    session: bytes
    statement: str
    ended: threading.Event = field(default_factory=threading.Event)
    awaited: bool = False
    canceled: bool = False
    fetched: bool = False


class FakeThriftServer:
    """A statement's answer is that of the longest beginning that ``answers`` or ``errors`` has.

    ``held`` are beginnings of statements that run until they are cancelled, ``lost`` the methods
    that get no answer, ``refused`` the settings that no session may change. A statement that was
    sent sets ``began``, and is answered once ``may_answer``, as is a GetInfo. Where it ``admits`` a
    word, who connects has to say that. While ``is_another`` it knows no session and no statement.
    """

    def __init__(self) -> None:
        self.answers: dict[str, Answer] = {}
        self.errors: dict[str, str] = {}
        self.held: tuple[str, ...] = ()
        self.lost: set[str] = set()
        self.admits = ""
        self.began = threading.Event()
        self.may_answer = threading.Event()
        self.may_answer.set()
        self.refused: tuple[str, ...] = ()
        self.is_another: Callable[[], bool] = lambda: False
        self.asked: list[str] = []
        self.settings: dict[str, str] = {}
        self.statements: list[str] = []
        self.sessions: set[bytes] = set()
        self.connections = 0
        self.operations: dict[bytes, Operation] = {}
        self._ids = (str(number).encode() for number in itertools.count(1))
        self._listening = socket.create_server((HOST, 0))
        self._sockets: list[socket.socket] = []

    @property
    def address(self) -> ThriftServer:
        """Where it listens."""
        port = self._listening.getsockname()[1]
        return ThriftServer(HOST, port, Access(Login(NOSASL, "me")))

    def address_for(self, password: str) -> ThriftServer:
        """The same, for who says a password."""
        return replace(self.address, access=Access(Login(LDAP, "me", password)))

    def running(self) -> list[str]:
        """The statements that run."""
        return [one.statement for one in self.operations.values() if not one.ended.is_set()]

    @property
    def waited_for(self) -> int:
        """How many statements that run some client has asked after."""
        return sum(one.awaited and not one.ended.is_set() for one in self.operations.values())

    def serve(self) -> None:
        """Take connections until ``close``."""
        while True:
            try:
                accepted, _ = self._listening.accept()
            except OSError:
                return
            self.connections += 1
            self._sockets.append(accepted)
            threading.Thread(target=self._answer, args=(accepted,), daemon=True).start()

    def hang_up(self) -> None:
        """Close every connection."""
        for one in self._sockets:
            with suppress(OSError):  # else it would stay open while its thread reads
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def close(self) -> None:
        """Take no connection any more, and close all."""
        if self._listening.fileno() >= 0:
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self.hang_up()

    def OpenSession(self, request: Any) -> Any:  # noqa: N802 (Thrift's)
        asked = request.configuration or {}
        if refused := [key for key in asked if key.removeprefix(PREFIX) in self.refused]:
            return ttypes.TOpenSessionResp(refusal(f"[CANNOT_MODIFY_CONFIG] {refused[0]}"))
        self.settings |= {key.removeprefix(PREFIX): value for key, value in asked.items()}
        session = ttypes.TSessionHandle(ttypes.THandleIdentifier(next(self._ids), b"secret"))
        self.sessions.add(session.sessionId.guid)
        return ttypes.TOpenSessionResp(OK, request.client_protocol, session, {})

    def GetInfo(self, _: Any) -> Any:  # noqa: N802 (Thrift's)
        self._lose("GetInfo")
        self.may_answer.wait()
        return ttypes.TGetInfoResp(OK, ttypes.TGetInfoValue(stringValue="Spark SQL"))

    def CloseSession(self, request: Any) -> Any:  # noqa: N802 (Thrift's)
        guid = request.sessionHandle.sessionId.guid
        if self.is_another():
            return ttypes.TCloseSessionResp(refusal(NO_SESSION))
        self.sessions.discard(guid)
        for one in self.operations.values():
            if one.session == guid:
                one.ended.set()
        return ttypes.TCloseSessionResp(OK)

    def ExecuteStatement(self, request: Any) -> Any:  # noqa: N802 (Thrift's)
        self._lose("ExecuteStatement")
        guid = request.sessionHandle.sessionId.guid
        if guid not in self.sessions or self.is_another():
            return ttypes.TExecuteStatementResp(refusal(NO_SESSION))
        operation = Operation(guid, request.statement)
        self.statements.append(request.statement)
        if not request.statement.startswith(self.held or ("\0",)):
            operation.ended.set()
        name = next(self._ids)
        self.operations[name] = operation
        self.began.set()
        self.may_answer.wait()
        handle = ttypes.TOperationHandle(
            ttypes.THandleIdentifier(name, b"secret"),
            ttypes.TOperationType.EXECUTE_STATEMENT,
            hasResultSet=True,
        )
        return ttypes.TExecuteStatementResp(OK, handle)

    def GetOperationStatus(self, request: Any) -> Any:  # noqa: N802 (Thrift's)
        operation = self._of(request)
        if operation is None:
            return ttypes.TGetOperationStatusResp(refusal(NO_STATEMENT))
        operation.awaited = True
        operation.ended.wait(WAIT_SECONDS)
        self._lose("GetOperationStatus")
        return ttypes.TGetOperationStatusResp(OK, *self._state(operation))

    def CancelOperation(self, request: Any) -> Any:  # noqa: N802 (Thrift's)
        operation = self._of(request)
        if operation is not None and not operation.ended.is_set():
            operation.canceled = True
            operation.ended.set()
        return ttypes.TCancelOperationResp(OK)

    def CloseOperation(self, request: Any) -> Any:  # noqa: N802 (Thrift's)
        if self._of(request) is None:
            return ttypes.TCloseOperationResp(refusal(NO_STATEMENT))
        self.operations.pop(request.operationHandle.operationId.guid)
        return ttypes.TCloseOperationResp(OK)

    def GetResultSetMetadata(self, request: Any) -> Any:  # noqa: N802 (Thrift's)
        operation = self._of(request)
        if operation is None:
            return ttypes.TGetResultSetMetadataResp(refusal(NO_STATEMENT))
        columns = [_described(*column) for column in self._said(operation).columns]
        return ttypes.TGetResultSetMetadataResp(OK, ttypes.TTableSchema(columns))

    def FetchResults(self, request: Any) -> Any:  # noqa: N802 (Thrift's)
        operation = self._of(request)
        if operation is None:
            return ttypes.TFetchResultsResp(refusal(NO_STATEMENT))
        answer = self._said(operation)
        again = request.orientation == ttypes.TFetchOrientation.FETCH_FIRST
        rows = answer.rows if again or not operation.fetched else ()
        operation.fetched = True
        columns = [
            _column(kind, [row[number] for row in rows])
            for number, (_, kind) in enumerate(answer.columns)
        ]
        return ttypes.TFetchResultsResp(OK, False, ttypes.TRowSet(0, [], columns))

    def _answer(self, accepted: socket.socket) -> None:
        connected = TSocket()
        connected.setHandle(accepted)
        framed = TFramedTransport if self.admits else TBufferedTransport
        protocol = TBinaryProtocol(framed(connected))
        processor = TCLIService.Processor(self)
        try:
            if self.admits:
                self._authenticate(connected)
            while True:
                processor.process(protocol, protocol)
        except Exception:  # noqa: BLE001 (whatever it was: this connection has ended)
            accepted.close()

    def _authenticate(self, connected: Any) -> None:
        """SASL's PLAIN: a mechanism, then who it is; each with a status and a length."""
        for _ in ("mechanism", "who"):
            _, length = struct.unpack(">BI", connected.readAll(5))
            said = connected.readAll(length).split(b"\0")
        if said[1:] != [b"me", self.admits.encode()]:
            words = b"Error validating the login"
            connected.write(struct.pack(">BI", SASL_BAD, len(words)) + words)
            raise HungUpError
        connected.write(struct.pack(">BI", SASL_COMPLETE, 0))

    def _of(self, request: Any) -> Operation | None:
        name = request.operationHandle.operationId.guid
        return None if self.is_another() else self.operations.get(name)

    def _lose(self, method: str) -> None:
        self.asked.append(method)
        if method in self.lost:
            raise HungUpError

    def _state(self, operation: Operation) -> tuple[Any, ...]:
        if not operation.ended.is_set():
            return (STATES.RUNNING_STATE,)
        if operation.canceled:
            return (STATES.CANCELED_STATE,)
        said = self._error(operation.statement)
        return (STATES.ERROR_STATE, None, 0, said) if said else (STATES.FINISHED_STATE,)

    def _error(self, statement: str) -> str:
        for beginning, said in self.errors.items():
            if statement.startswith(beginning):
                return said
        if statement.startswith(tuple(f"SET `{name}`=" for name in self.refused)):
            return failure("[CANNOT_MODIFY_CONFIG] org.apache.spark.X: [CANNOT_MODIFY_CONFIG] no")
        return ""

    def _said(self, operation: Operation | None) -> Answer:
        assert operation is not None
        statement = operation.statement
        if statement.startswith("SET `") and "=" not in statement:
            key = statement.removeprefix("SET ").strip("`")
            pair = (("key", "STRING"), ("value", "STRING"))
            return Answer(pair, ((key, self.settings.get(key, "<undefined>")),))
        known = [beginning for beginning in self.answers if statement.startswith(beginning)]
        return self.answers[max(known, key=len)] if known else Answer()


@contextmanager
def thrift_server() -> Iterator[FakeThriftServer]:
    """A running one."""
    server = FakeThriftServer()
    threading.Thread(target=server.serve, daemon=True).start()
    try:
        yield server
    finally:
        server.close()


def failure(said: str) -> str:
    """What the status of a failed statement holds, with Java's frames."""
    return (
        f"*org.apache.hive.service.cli.HiveSQLException: Error running query: {said}\n"
        "\tat org.apache.spark.sql.hive.thriftserver.X.run(X.scala:44)\n"
    ).removeprefix("*")


def refusal(said: str) -> Any:
    """The status of a request that is refused."""
    return ttypes.TStatus(statusCode=ttypes.TStatusCode.ERROR_STATUS, errorMessage=said)


def _described(name: str, kind: str) -> Any:
    plain, _, numbers = kind.rstrip(")").partition("(")
    known = dict(
        zip(("precision", "scale"), map(int, filter(None, numbers.split(","))), strict=False)
    )
    qualifiers = {key: ttypes.TTypeQualifierValue(i32Value=value) for key, value in known.items()}
    entry = ttypes.TPrimitiveTypeEntry(
        ttypes.TTypeId._NAMES_TO_VALUES[f"{plain}_TYPE"],  # noqa: SLF001 (Thrift's own)
        ttypes.TTypeQualifiers(qualifiers),
    )
    described = ttypes.TTypeDesc([ttypes.TTypeEntry(primitiveEntry=entry)])
    return ttypes.TColumnDesc(name, described, 1)


def _column(kind: str, values: list[Any]) -> Any:
    fields = {
        "BOOLEAN": ("boolVal", ttypes.TBoolColumn, False),
        "INT": ("i32Val", ttypes.TI32Column, 0),
        "BIGINT": ("i64Val", ttypes.TI64Column, 0),
        "DOUBLE": ("doubleVal", ttypes.TDoubleColumn, 0.0),
        "FLOAT": ("doubleVal", ttypes.TDoubleColumn, 0.0),
        "BINARY": ("binaryVal", ttypes.TBinaryColumn, b""),
    }
    name, made, empty = fields.get(kind, ("stringVal", ttypes.TStringColumn, ""))
    nulls = bytearray(len(values) // 8 + 1)
    for number, value in enumerate(values):
        if value is None:
            nulls[number // 8] |= 1 << number % 8
    filled = [empty if value is None else value for value in values]
    return ttypes.TColumn(**{name: made(filled, bytes(nulls))})
