"""The Thrift server of the fakes behind HTTP, as a gateway shows it."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from TCLIService import TCLIService
from thrift.protocol.TBinaryProtocol import TBinaryProtocol
from thrift.transport.TTransport import TMemoryBuffer

from ctas_spark.engines.thrift import Http, ThriftServer
from fakes.thrift_server import HOST, FakeThriftServer, HungUpError

PATH = "/gateway/hs2"
COOKIES = ("hive.server2.auth=cu=me&rn=7; Path=/; HttpOnly", "AWSALB=a/b+c=; Path=/; Secure")
"""The server's, which another server behind the same balancer fails over, and the balancer's."""


class HttpFront(ThreadingHTTPServer):
    """``requests`` are the headers of each; ``failures`` the statuses that come before answers."""

    daemon_threads = True

    def __init__(self, server: FakeThriftServer) -> None:
        super().__init__((HOST, 0), _Request)
        self.processor = TCLIService.Processor(server)
        self.fake = server
        self.requests: list[dict[str, str]] = []
        self.failures: list[int] = []

    @property
    def address(self) -> ThriftServer:
        """Where it listens."""
        own = Http(PATH, (("X-Tenant", "shop"),))
        return replace(self.fake.address, port=self.server_address[1], http=own)


class _Request(BaseHTTPRequestHandler):
    server: HttpFront

    def do_POST(self) -> None:
        self.server.requests.append(dict(self.headers))
        asked = TMemoryBuffer(self.rfile.read(int(self.headers["Content-Length"])))
        answer = TMemoryBuffer()
        status = self._status()
        try:
            if status == HTTPStatus.OK:
                self.server.processor.process(TBinaryProtocol(asked), TBinaryProtocol(answer))
        except HungUpError:
            status = HTTPStatus.GATEWAY_TIMEOUT
        self.send_response(status)
        for cookie in COOKIES:
            self.send_header("Set-Cookie", cookie)
        self.end_headers()
        self.wfile.write(answer.getvalue())

    def log_message(self, *_: Any) -> None:
        """Nothing."""

    def _status(self) -> int:
        if self.server.failures:
            return self.server.failures.pop(0)
        if self.path != PATH:
            return HTTPStatus.NOT_FOUND
        admits = self.server.fake.admits
        return HTTPStatus.OK if admits in self.headers["Authorization"] else HTTPStatus.UNAUTHORIZED


@contextmanager
def over_http(server: FakeThriftServer) -> Iterator[HttpFront]:
    """A running one."""
    front = HttpFront(server)
    threading.Thread(target=front.serve_forever, daemon=True).start()
    try:
        yield front
    finally:
        front.shutdown()
        front.server_close()
