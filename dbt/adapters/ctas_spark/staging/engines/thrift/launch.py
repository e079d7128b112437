"""Open a session on a Spark Thrift server with a profile's settings; one for an invocation."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from dbt.adapters.ctas_spark.staging.engines.remote import RemoteSessions, refuse, wanted
from dbt.adapters.ctas_spark.staging.engines.thrift.results import ServerError
from dbt.adapters.ctas_spark.staging.engines.thrift.session import Line, ThriftSession
from dbt.adapters.ctas_spark.staging.errors import ClientNotInstalledError, ServerNotReachedError

NONE, NOSASL, LDAP, CUSTOM, KERBEROS = AUTHS = ("NONE", "NOSASL", "LDAP", "CUSTOM", "KERBEROS")
"""The values of ``hive.server2.authentication`` that PyHive knows."""
WITH_PASSWORD = (LDAP, CUSTOM)
DEFAULT_PORT = 10_000
INSTALL = "pip install 'dbt-ctas-spark[thrift]'"
NOT_A_SESSIONS = "CANNOT_MODIFY"
DEFAULTS = {"spark.sql.thriftServer.interruptOnCancel": "true"}
"""A task that is cancelled ends at once, as in the other methods; Spark 3's default is another."""


@dataclass(frozen=True, slots=True)
class ThriftServer:
    """An address; ``user`` is by default that of this process."""

    host: str
    port: int = DEFAULT_PORT
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    auth: str = NONE
    kerberos_service_name: str | None = None

    def __str__(self) -> str:
        return f"{self.host}:{self.port}"


def _opened(server: ThriftServer, settings: Mapping[str, str]) -> ThriftSession:
    connect = _connecting(server)
    try:
        session = ThriftSession(connect)
    except (ServerError, OSError) as error:
        raise ServerNotReachedError(
            f"the Thrift server of this profile does not answer: {error}",
            left="nothing was started",
            remedy="check host, port, auth and user in the profile, that the server runs, and that "
            "this machine may reach it",
        ) from error
    try:
        values = wanted({**DEFAULTS, **settings}).items()
        refuse([key for key, value in values if not _is_set(session, key, value)])
    except BaseException:
        session.stop()
        raise
    return session


def _connecting(server: ThriftServer) -> Callable[[], Line]:
    try:
        from dbt.adapters.ctas_spark.staging.engines.thrift import (  # noqa: PLC0415 (an extra's)
            line,
        )
    except ImportError as error:
        raise ClientNotInstalledError(
            f"a package of the Thrift client is missing: {error}",
            left="nothing was started",
            remedy=INSTALL,
        ) from error
    return lambda: line.Line(server)


def _is_set(session: ThriftSession, key: str, value: str) -> bool:
    """False if the server says that no session may have a value of its own."""
    try:
        session.conf.set(key, value)
    except ServerError as error:
        if not error.getCondition().startswith(NOT_A_SESSIONS):
            raise
        return False
    return True


SESSIONS = RemoteSessions[ThriftServer](_opened)
