"""Whether a Hive metastore listens at its address, asked before Spark waits for it for minutes.

Hive's client sends a message and waits for up to ten minutes, and most HTTP servers wait, too: for
the end of what is no line to them.
"""

import logging
import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

from pyspark.sql import SparkSession

from ..errors import MetastoreNotReachedError
from ..wire import EMPTY, TLS, message, other_protocol
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
CALL = message("getStatus", EMPTY)
"""Of fb303, which every metastore has."""
LONGEST = 5
END_OF_LINE = b"\r\n\r\n"
SILENT = (
    "%s takes connections, and has not answered for %.0f s: the metastore is slow, or another "
    f"program listens there. Hive's client waits for up to ten minutes; check {URIS}"
)
WITH_TLS = " (a metastore with TLS needs spark.hadoop.hive.metastore.use.SSL: true)"


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
        return None
    if not (found := other_protocol(answer)):
        return None
    return f"the server {found}{WITH_TLS if answer.startswith(TLS) else ''}"


def _received(server: socket.socket) -> bytes | None:
    """The beginning of its answer: nothing if it has closed the connection, None if it waits."""
    try:
        return server.recv(LONGEST)
    except TimeoutError:
        return None
