"""Whether a Hive metastore listens at its address, asked before Spark waits for it for minutes.

Hive's client sends a message and waits for up to ten minutes, and most HTTP servers wait, too: for
the end of what is no line to them.
"""

import logging
import socket
import struct
from collections.abc import Iterator
from urllib.parse import urlsplit

from pyspark.sql import SparkSession

from ..errors import MetastoreNotReachedError
from . import jvm

logger = logging.getLogger(__name__)

URIS = "hive.metastore.uris"
OF_A_CLIENT = (
    "hive.metastore.sasl.enabled",
    "hive.metastore.use.SSL",
    "hive.metastore.thrift.framed.transport.enabled",
    "hive.metastore.thrift.compact.protocol.enabled",
)
"""Settings with which a metastore is asked in another way, and so is not asked here."""
SECONDS = 5.0
METHOD = b"getStatus"
CALL = struct.pack(">Ii", 0x80010001, len(METHOD)) + METHOD + struct.pack(">ib", 0, 0)
"""A call without arguments, in Thrift's binary protocol: of fb303, which every metastore has."""
THRIFT, HTTP, TLS = b"\x80\x01", (b"HTTP/", b"<"), b"\x15\x03"
"""How an answer begins: that of Thrift, that of HTTP (or a page alone), and an alert of TLS."""
LONGEST = 5
END_OF_LINE = b"\r\n\r\n"
SILENT = (
    "%s takes connections, and has not answered for %.0f s: the metastore is slow, or another "
    f"program listens there. Hive's client waits for up to ten minutes; check {URIS}"
)
ANOTHER = "the server {}; it probably speaks another protocol at this port, such as HTTP or TLS"


def require_metastore(spark: SparkSession) -> None:
    """Return if a metastore answers, or if only Hive's own client can tell.

    Raises:
        MetastoreNotReachedError: what listens at each address that takes a connection is no
            metastore.
    """
    hadoop = jvm.hadoop_configuration(spark)
    uris = str(hadoop.get(URIS) or "")
    if not uris or any(hadoop.getBoolean(key, False) for key in OF_A_CLIENT):
        return
    reasons = []
    for host, port in _addresses(uris):
        reason = _refusal(host, port)
        if reason is None:
            return
        if reason:
            reasons.append(f"{host}:{port}: {reason}" if "," in uris else reason)
    if reasons:
        raise MetastoreNotReachedError(
            f"no Hive metastore answers at {uris}: {'; '.join(reasons)}",
            left="nothing was changed",
            remedy=f"check host and port (spark.hadoop.{URIS} in spark_conf of the profile)",
        )


def _addresses(uris: str) -> Iterator[tuple[str, int]]:
    """Those that can be read; Hive's client says what is wrong with others."""
    for uri in map(str.strip, uris.split(",")):
        parts = urlsplit(uri)
        if parts.scheme == "thrift" and parts.hostname and parts.port:
            yield parts.hostname, parts.port


def _refusal(host: str, port: int) -> str | None:
    """The reason to say it is no metastore; None if it may be one, empty if nobody listens."""
    try:
        with socket.create_connection((host, port), SECONDS) as server:
            server.sendall(CALL)
            answer = _received(server)
            if answer is None:
                server.sendall(END_OF_LINE)
                answer = _received(server)
    except (ConnectionResetError, BrokenPipeError):
        answer = b""
    except OSError:
        return ""
    if answer is None:
        logger.warning(SILENT, f"{host}:{port}", 2 * SECONDS)
    return _meaning(answer)


def _received(server: socket.socket) -> bytes | None:
    """The beginning of its answer: nothing if it has closed the connection, None if it waits."""
    try:
        return server.recv(LONGEST)
    except TimeoutError:
        return None


def _meaning(answer: bytes | None) -> str | None:
    """The reason to say no metastore gave this answer; None if one may have."""
    if answer is None or answer.startswith(THRIFT):
        return None
    if answer.startswith(HTTP):
        return "the server speaks HTTP at this port, and not Thrift"
    if answer.startswith(TLS):
        return (
            "the server speaks TLS at this port (a metastore with TLS needs "
            "spark.hadoop.hive.metastore.use.SSL: true)"
        )
    return ANOTHER.format("gave another answer" if answer else "closed the connection")
