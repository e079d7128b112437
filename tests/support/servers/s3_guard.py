"""What a key of S3's that may not do all sees: a way to the stand-in that refuses some requests."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from servers.loopback import HOST

Refused = Callable[[str, str], bool]
"""Whether a method on a path, with its query, is refused."""
DENIED = b"<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>"
OF_ONE_HOP = {"connection", "transfer-encoding", "content-length", "date", "server"}


def nothing(_method: str, _path: str) -> bool:
    """Of a key that may do all."""
    return False


def writes(method: str, path: str) -> bool:
    """An object or a part of one, and the beginning of an upload."""
    return method == "PUT" or (method == "POST" and path.endswith("?uploads"))


def deletes(method: str, path: str) -> bool:
    """One object, or several by one request; ending an upload is another right."""
    one = method == "DELETE" and "uploadId=" not in path
    return one or (method == "POST" and path.endswith("?delete"))


@dataclass(slots=True)
class Key:
    """One whose rights may change; requests to its endpoint are made with it."""

    endpoint: str
    refused: Refused = nothing


@contextmanager
def another_key(port: int) -> Iterator[Key]:
    """A key of the stand-in on this port."""
    key = Key("")
    handler = type("Handler", (_Handler,), {"port": port, "key": key})
    server = ThreadingHTTPServer((HOST, 0), handler)
    key.endpoint = f"http://{HOST}:{server.server_port}"
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield key
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    port: int
    key: Key

    def _pass_on(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.key.refused(self.command, self.path):
            self._answer(403, [("Content-Type", "application/xml")], DENIED)
            return
        onward = HTTPConnection(HOST, self.port)
        headers = {name: value for name, value in self.headers.items() if name != "Expect"}
        onward.request(self.command, self.path, body, headers)
        answer = onward.getresponse()
        kept = [one for one in answer.getheaders() if one[0].lower() not in OF_ONE_HOP]
        length = answer.getheader("Content-Length") if self.command == "HEAD" else None
        self._answer(answer.status, kept, answer.read(), length)
        onward.close()

    do_GET = do_HEAD = do_PUT = do_POST = do_DELETE = _pass_on  # noqa: N815 (http.server's names)

    def _answer(
        self, status: int, headers: list[tuple[str, str]], body: bytes, length: str | None = None
    ) -> None:
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", length or str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *_arguments: object) -> None:
        """Nothing: the stand-in writes a line for each request."""
