"""One connection to a Thrift server, in HiveServer2's protocol; for one thread at a time.

A request that does not end with an answer closes it, and nothing is ever sent twice.
"""

import getpass
import socket
from collections.abc import Iterator
from typing import Any

import thrift_sasl
from pyhive.hive import _unwrap_column, get_installed_sasl
from pyspark.sql.types import StructField
from TCLIService import TCLIService, ttypes
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import TBufferedTransport

from ...errors import with_likely_cause
from . import KERBEROS, NONE, NOSASL, ThriftServer, results
from .results import LostAnswerError, TypeName, values_of

CONNECT_SECONDS = 10.0
ANSWER_SECONDS = 600.0
QUIET_SECONDS = 60
"""After which the kernel asks an idle connection for a sign of life: firewalls forget others."""
VERSION = ttypes.TProtocolVersion.HIVE_CLI_SERVICE_PROTOCOL_V6
"""Results in columns: the oldest that has what is needed here."""
ROWS = 1_000
SUFFIX = "_type"
NAMES = {"null": "void", "varchar": "string", "char": "string"}
"""PySpark's names of types where they differ from the protocol's."""
QUALIFIED = {"decimal": ("precision", "scale")}
STATES = ttypes.TOperationState
RUNNING = (STATES.INITIALIZED_STATE, STATES.PENDING_STATE, STATES.RUNNING_STATE)


class Line:
    """Connected and authenticated from the start.

    Every call raises LostAnswerError without an answer, and ServerError for one that says no.
    """

    def __init__(self, server: ThriftServer) -> None:
        self._user = server.user or getpass.getuser()
        self._connected = TSocket()
        try:
            accepted = socket.create_connection((server.host, server.port), CONNECT_SECONDS)
            self._connected.setHandle(accepted)
            self._transport = self._authenticated(server)
        except Exception as error:
            self._connected.close()
            said = with_likely_cause(str(error))
            raise LostAnswerError(f"no connection to {server}: {said}") from error
        _keep_alive(accepted)
        accepted.settimeout(ANSWER_SECONDS)
        self._client = TCLIService.Client(TBinaryProtocol(self._transport))

    @property
    def is_open(self) -> bool:
        """False once either side has closed it."""
        return bool(self._connected.isOpen())

    def open_session(self) -> Any:
        """A session of the server's; it ends with this line."""
        request = ttypes.TOpenSessionReq(client_protocol=VERSION, username=self._user)
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
        request = ttypes.TFetchResultsReq(
            operation, ttypes.TFetchOrientation.FETCH_NEXT, maxRows=ROWS
        )
        while found := self._call("FetchResults", request).results.columns:
            pairs = zip(columns, map(_unwrap_column, found), strict=True)
            block = list(zip(*(values_of(*pair) for pair in pairs), strict=True))
            if not block:
                return
            yield from block

    def forget(self, operation: Any) -> None:
        """Give back what the server keeps of a statement; one that still runs is cancelled."""
        self._call("CloseOperation", ttypes.TCloseOperationReq(operation))

    def close(self) -> None:
        self._transport.close()
        self._connected.close()

    def _call(self, method: str, request: Any) -> Any:
        try:
            answer = getattr(self._client, method)(request)
        except Exception as error:
            self.close()
            reason = getattr(error, "inner", None) or error
            raise LostAnswerError(f"the Thrift server did not answer {method}: {reason}") from error
        except BaseException:  # what is left of the answer must not be taken for the next one
            self.close()
            raise
        status = answer.status
        if status.statusCode not in {
            ttypes.TStatusCode.SUCCESS_STATUS,
            ttypes.TStatusCode.SUCCESS_WITH_INFO_STATUS,
        }:
            raise results.failed(status.errorMessage or f"{method} was refused")
        return answer

    def _authenticated(self, server: ThriftServer) -> Any:
        if server.auth == NOSASL:
            return TBufferedTransport(self._connected)
        mechanism = "GSSAPI" if server.auth == KERBEROS else "PLAIN"
        password = "x" if server.auth == NONE else server.password
        transport = thrift_sasl.TSaslClientTransport(
            lambda: get_installed_sasl(
                host=server.host,
                sasl_auth=mechanism,
                service=server.kerberos_service_name,
                username=self._user,
                password=password,
            ),
            mechanism,
            self._connected,
        )
        transport.open()
        return transport


def _column(found: Any) -> StructField:
    """A column by the protocol's name for its type, such as DECIMAL_TYPE."""
    entry = found.typeDesc.types[0].primitiveEntry
    text = ttypes.TTypeId._VALUES_TO_NAMES[entry.type].lower().removesuffix(SUFFIX)  # noqa: SLF001 (Thrift's own)
    given = entry.typeQualifiers.qualifiers if entry.typeQualifiers is not None else {}
    known = [str(given[key].i32Value) for key in QUALIFIED.get(text, ()) if key in given]
    whole = f"{text}({','.join(known)})" if known else NAMES.get(text, text)
    return StructField(found.columnName, TypeName(whole))


def _keep_alive(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    if hasattr(socket, "TCP_KEEPIDLE"):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, QUIET_SECONDS)
