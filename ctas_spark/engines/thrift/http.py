"""HiveServer2's protocol over HTTP: thrift's own transport with a login, cookies and statuses."""

import base64
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.client import CannotSendHeader
from http.cookies import CookieError, SimpleCookie
from importlib import import_module
from ssl import SSLContext
from typing import Any

from thrift.transport.THttpClient import THttpClient

from . import ThriftServer
from .channel import KERBEROS, NO_KERBEROS, Login, NotConnectedError

AUTHORIZATION = "Authorization"
REFUSED = (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN)
NOTHING_THERE = (HTTPStatus.NOT_FOUND, HTTPStatus.METHOD_NOT_ALLOWED)
"""What Jetty says of another path: the latter, where a page of its own answers there."""
PASSES = (HTTPStatus.BAD_GATEWAY, HTTPStatus.SERVICE_UNAVAILABLE, HTTPStatus.GATEWAY_TIMEOUT)
"""What a balancer says while the server behind it is away."""
SIGNED = "hive.server2.auth"
"""A server's own cookie of a login: another server behind the same balancer fails over it."""


class HttpTransport(THttpClient):  # type: ignore[misc]  # it has no types
    """Each request has a connection of its own: none is stale.

    ``cookies`` are those of a balancer, and of the server but for the one that stands for a login.
    All transports of a session share them, so a balancer that goes by its cookie brings them to
    one server.
    """

    def __init__(
        self,
        url: str,
        context: SSLContext | None,
        headers: Callable[[], Mapping[str, str]],
        cookies: "SimpleCookie",
    ) -> None:
        super().__init__(url, ssl_context=context)
        self._headers = headers
        self._cookies = cookies

    def isOpen(self) -> bool:  # noqa: N802 (Thrift's)
        """Whether there is anything to close."""
        return bool(super().isOpen())

    def close(self) -> None:
        if self.isOpen():
            super().close()

    def flush(self) -> None:
        """Send a request.

        Raises:
            NotConnectedError: the answer is not Thrift's.
        """
        self.headers: Any = None  # thrift would send the last Set-Cookie back as it came
        self.setCustomHeaders({**self._headers(), **self._cookie()})
        try:
            super().flush()
        except CannotSendHeader:  # thrift 0.16 tries to send back a cookie that has just come
            if self.headers is None:
                raise
        self._keep_cookies()
        if self.code != HTTPStatus.OK:
            raise NotConnectedError(self._refusal(), may_pass=self.code in PASSES)

    def _cookie(self) -> dict[str, str]:
        kept = "; ".join(f"{one.key}={one.coded_value}" for one in self._cookies.values())
        return {"Cookie": kept} if kept else {}

    def _keep_cookies(self) -> None:
        for one in self.headers.get_all("Set-Cookie") or ():
            try:
                self._cookies.load(one)
            except CookieError:  # noqa: PERF203 (one that can't be sent back)
                continue
        self._cookies.pop(SIGNED, None)

    def _refusal(self) -> str:
        status = f"HTTP {self.code} {self.message}".strip()
        if self.code in REFUSED:
            return f"the server refused the login: {status}"
        if self.code in NOTHING_THERE:
            return f"no HiveServer2 is at the path {self.path}: {status}"
        return f"the server's answer is {status}"


def headers_to(server: ThriftServer) -> dict[str, str]:
    """What each request has: the login, and the profile's own headers, which win."""
    own = dict(server.http.headers) if server.http else {}
    return {**_authorization(server.host, server.access.login), **own}


def _authorization(host: str, login: Login) -> dict[str, str]:
    """The header by which a request logs in; a server with NONE takes the user from it, too."""
    if login.auth == KERBEROS:
        return {AUTHORIZATION: f"Negotiate {_ticket(host, login)}"}
    pair = f"{login.name}:{login.password or 'x'}".encode()
    return {AUTHORIZATION: f"Basic {base64.b64encode(pair).decode()}"}


def _ticket(host: str, login: Login) -> str:
    """A new token for the server; no server takes one twice.

    It is Kerberos' own, as Hive's JDBC driver sends it: SPNEGO around it would hide why there is
    no ticket.
    """
    kerberos = _kerberos()
    service = f"{login.kerberos_service_name}@{login.kerberos_host or host}"
    _, context = kerberos.authGSSClientInit(service)
    kerberos.authGSSClientStep(context, "")
    return str(kerberos.authGSSClientResponse(context))


def _kerberos() -> Any:
    try:
        return import_module("kerberos")  # an extra brings it, and it has no types
    except ImportError as error:
        raise NotConnectedError(NO_KERBEROS, may_pass=False) from error
