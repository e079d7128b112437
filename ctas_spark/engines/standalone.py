"""Whether a standalone master answers, asked before a JVM is started for it."""

import re
import socket
import struct
from collections.abc import Mapping

from ..errors import ServerNotReachedError
from . import given
from .given import MASTER

STANDALONE = re.compile(r"(?:^spark://|,)([^,:]+):(\d+)")
CONNECT_SECONDS = 10.0
STREAM_REQUEST = struct.Struct(">qbi")
"""Length of the frame, kind of message, length of the stream's name (Spark's MessageEncoder)."""
NO_SUCH_STREAM = b"/jars/ctas-spark-asks-for-none"
REQUEST, FAILURE = 6, 8
"""Spark's Message.Type of a request for a stream, and of the answer that there is none."""
PROTECTED = ("spark.ssl.", "spark.authenticate")


def require_master(settings: Mapping[str, str]) -> None:
    """Spark would ask a master that does not answer for a minute, and then fail elsewhere."""
    said = None if MASTER in settings else given.settings().get(MASTER)
    where = f"of {said.source}" if said else "in spark_conf of the profile"
    settings = given.under(settings)
    master, reason = settings.get(MASTER, ""), ""
    is_open = not any(key.startswith(PROTECTED) for key in settings)
    for host, port in STANDALONE.findall(master):
        if not (reason := _refusal(host, int(port), is_open=is_open)):
            return
    if reason:
        raise ServerNotReachedError(
            f"no Spark master answers at {master}: {reason}",
            left="nothing was started",
            remedy=f"check host and port ({MASTER} {where}), that the master is running, and that "
            "this machine can reach it",
        )


def _refusal(host: str, port: int, *, is_open: bool) -> str:
    """Why this is no server of Spark's; empty if it is one, and says that it lacks a stream.

    One that is not open to everybody is not asked: it would answer in TLS, or log an error.
    """
    size = STREAM_REQUEST.size + len(NO_SUCH_STREAM)
    request = STREAM_REQUEST.pack(size, REQUEST, len(NO_SUCH_STREAM)) + NO_SUCH_STREAM
    try:
        with socket.create_connection((host, port), CONNECT_SECONDS) as server:
            if not is_open:
                return ""
            server.settimeout(CONNECT_SECONDS)
            server.sendall(request)
            answer = server.makefile("rb").read(STREAM_REQUEST.size)
    except TimeoutError:
        return f"there was no answer within {CONNECT_SECONDS:.0f} s"
    except (ConnectionResetError, BrokenPipeError):
        answer = b""
    except OSError as error:
        return str(error.strerror or error)
    if len(answer) == STREAM_REQUEST.size and STREAM_REQUEST.unpack(answer)[1] == FAILURE:
        return ""
    return "what listens there does not speak Spark's protocol"
