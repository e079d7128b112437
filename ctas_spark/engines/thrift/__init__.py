"""A session of Spark's Thrift server; here is what a profile says of one."""

from dataclasses import dataclass, field
from urllib.parse import quote

from .channel import Access

DEFAULT_PORT = 10_000
HTTP_PATH = "cliservice"
"""``hive.server2.thrift.http.path``, by default."""


@dataclass(frozen=True, slots=True)
class Http:
    """HTTP as transport; ``headers`` are sent with each request."""

    path: str = HTTP_PATH
    headers: tuple[tuple[str, str], ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class ThriftServer:
    """An address, and how to connect to it; ``retries`` of a connection have growing pauses."""

    host: str
    port: int = DEFAULT_PORT
    access: Access = field(default_factory=Access)
    http: Http | None = None
    retries: int = 0

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"

    @property
    def url(self) -> str:
        """The address of HTTP's requests."""
        scheme = "https" if self.access.tls else "http"
        host = f"[{self.host}]" if ":" in self.host else self.host
        path = self.http.path if self.http else HTTP_PATH
        return f"{scheme}://{host}:{self.port}/{quote(path.lstrip('/'), safe='/?=&%;')}"
