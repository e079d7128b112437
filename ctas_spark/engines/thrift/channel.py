"""Sockets to Thrift servers: connected in time, encrypted and logged in, as a profile says."""

import getpass
import inspect
import select
import socket
import ssl
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from http.client import BadStatusLine
from typing import Any

from thrift.transport.TSocket import TSocket
from thrift.transport.TTransport import (
    TBufferedTransport,
    TSaslClientTransport,
    TTransportException,
)

from ...wire import ANOTHER_PROTOCOL, with_likely_cause

NONE, NOSASL, LDAP, CUSTOM, KERBEROS = AUTHS = ("NONE", "NOSASL", "LDAP", "CUSTOM", "KERBEROS")
"""The values of ``hive.server2.authentication`` that PyHive knows."""
WITH_PASSWORD = (LDAP, CUSTOM)
CONNECT_SECONDS = 10.0
QUIET_SECONDS = 60
"""After which the kernel asks an idle connection for a sign of life: firewalls forget others."""
PAUSE_SECONDS, LONGEST_PAUSE_SECONDS = 1.0, 30.0
ANY_PASSWORD = "x"  # noqa: S105 (a server with NONE looks at none, but wants one)
NO_KERBEROS = "the Python package kerberos is missing: pip install 'dbt-ctas-spark[kerberos]'"
NO_SASL = "a Python package is missing: pip install 'dbt-ctas-spark[thrift]'"
HEADER_BYTES = 5
FRAME_LIMIT = "max_frame_size"
HIGHEST_INT = 2**31 - 1


class NotConnectedError(ConnectionError):
    """There is no connection; ``may_pass`` if another attempt may find the server there."""

    def __init__(self, what: str, *, may_pass: bool) -> None:
        super().__init__(what)
        self.may_pass = may_pass


@dataclass(frozen=True, slots=True)
class Login:
    """A user, and how the server checks that; ``user`` is by default that of this process.

    Kerberos takes its ticket from the credential cache, or from the keytab that the variable
    KRB5_CLIENT_KTNAME names. ``kerberos_host`` is the host in the server's principal, if that is
    not the one that is connected to.
    """

    auth: str = NONE
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    kerberos_service_name: str | None = None
    kerberos_host: str | None = None

    @property
    def name(self) -> str:
        """The user."""
        return self.user or getpass.getuser()


@dataclass(frozen=True, slots=True)
class Tls:
    """TLS by the certificates of ``ca_cert``, a file, or in ``ca_text``, or else of this machine.

    Both are in PEM format.
    """

    ca_cert: str | None = None
    ca_text: str | None = None

    def context(self) -> ssl.SSLContext:
        """What checks the server's certificate and its name."""
        try:
            return ssl.create_default_context(cafile=self.ca_cert, cadata=self.ca_text)
        except OSError as error:
            raise NotConnectedError(
                f"the file of certificates {self.ca_cert} can't be read: {error}", may_pass=False
            ) from error


@dataclass(frozen=True, slots=True)
class Access:
    """How a server is connected to; ``seconds`` is how long it may take to answer."""

    login: Login = field(default_factory=Login)
    tls: Tls | None = None
    seconds: float = CONNECT_SECONDS


class Connected(TSocket):  # type: ignore[misc]  # it has no types
    """A socket that is open from the start."""

    def __init__(self, opened: socket.socket) -> None:
        super().__init__()
        self.setHandle(opened)

    def isOpen(self) -> bool:  # noqa: N802 (Thrift's)
        """False once this side has closed it; Thrift's own would peek, which TLS forbids."""
        return self.handle is not None

    @property
    def is_alive(self) -> bool:
        """False once either side has closed it: between calls there is nothing else to read."""
        try:
            ready = select.poll()
            ready.register(self.handle, select.POLLIN)
            return not ready.poll(0)
        except (OSError, TypeError, ValueError):  # another thread closes it just now
            return False


class Sasl(TSaslClientTransport):  # type: ignore[misc]  # it has no types
    """A login by SASL that says what the server said."""

    def __init__(self, connected: TSocket, host: str, login: Login) -> None:
        known = inspect.signature(TSaslClientTransport).parameters
        unlimited = {FRAME_LIMIT: HIGHEST_INT} if FRAME_LIMIT in known else {}
        if login.auth == KERBEROS:
            service, host = login.kerberos_service_name, login.kerberos_host or host
            super().__init__(connected, host, service, "GSSAPI", **unlimited)
        else:
            password = ANY_PASSWORD if login.auth == NONE else login.password
            who = {"username": login.name, "password": password}
            super().__init__(connected, host, None, "PLAIN", **unlimited, **who)

    def recv_sasl_msg(self) -> tuple[int, bytes]:
        """The server's next word; what is none must not be taken for a length to wait for."""
        status, length = struct.unpack(">BI", self.transport.readAll(HEADER_BYTES))
        if status not in (self.START, self.OK, self.BAD, self.ERROR, self.COMPLETE):
            raise NotConnectedError(f"the server {ANOTHER_PROTOCOL}", may_pass=False)
        said = self.transport.readAll(length) if length else b""
        if status in (self.BAD, self.ERROR):
            text = said.decode(errors="replace")
            raise NotConnectedError(f"the server refused the login: {text}", may_pass=False)
        return status, said


def pauses(retries: int) -> Iterator[float]:
    """Seconds before each further attempt: twice as long each time."""
    for number in range(retries):
        yield min(PAUSE_SECONDS * 2**number, LONGEST_PAUSE_SECONDS)


def opened(host: str, port: int, access: Access) -> socket.socket:
    """A socket, by TLS where that is asked for.

    Raises:
        NotConnectedError: there is none.
    """
    context = access.tls.context() if access.tls else None
    try:
        plain = socket.create_connection((host, port), access.seconds)
    except OSError as error:
        raise NotConnectedError(str(error), may_pass=True) from error
    _keep_alive(plain)
    if context is None:
        return plain
    try:
        return context.wrap_socket(plain, server_hostname=host)
    except OSError as error:
        plain.close()
        raise _no_tls(error) from error


def logged_in(connected: TSocket, host: str, access: Access) -> Any:
    """A transport over a socket that is open.

    Raises:
        NotConnectedError: the server refused the login, or did not answer.
    """
    if access.login.auth == NOSASL:
        return TBufferedTransport(connected)
    try:
        transport = Sasl(connected, host, access.login)
        transport.open()
    except NotConnectedError:
        raise
    except Exception as error:
        raise NotConnectedError(words_of(error), may_pass=_may_pass(error)) from error
    return transport


def words_of(error: BaseException) -> str:
    """An error's words; those of Kerberos come as pairs of words and numbers."""
    if "kerberos module not installed" in str(error):
        return NO_KERBEROS
    if isinstance(error, ImportError):
        return f"{NO_SASL} ({error})"
    if type(error).__module__.startswith(("kerberos", "winkerberos")):
        return f"Kerberos: {_last_words(error.args)}"
    if isinstance(error, BadStatusLine) and not isinstance(error, OSError):
        return f"the server {ANOTHER_PROTOCOL}"
    said = str(getattr(error, "inner", None) or error)
    return with_likely_cause(said) or type(error).__name__


def _last_words(said: Sequence[Any]) -> str:
    """The more particular of (words, number) and (words, number)."""
    words = [one[0] for one in said if isinstance(one, tuple) and one[0] != "Success"]
    return str(words[-1] if words else said)


def _no_tls(error: OSError) -> NotConnectedError:
    if isinstance(error, ssl.SSLCertVerificationError):
        said = f"the server's certificate is not trusted: {error.verify_message}"
        return NotConnectedError(said, may_pass=False)
    if isinstance(error, ssl.SSLError):
        said = f"the server does not speak TLS at this port, or another TLS: {error}"
        return NotConnectedError(said, may_pass=False)
    return NotConnectedError(f"during the handshake of TLS: {error}", may_pass=True)


def _may_pass(error: BaseException) -> bool:
    """True if the connection broke; False for what another attempt would meet as well."""
    return isinstance(error, OSError | TTransportException | EOFError)


def _keep_alive(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    if hasattr(socket, "TCP_KEEPIDLE"):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE, QUIET_SECONDS)
