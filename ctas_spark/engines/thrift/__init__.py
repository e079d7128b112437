"""A session of Spark's Thrift server; here is what a profile says of one."""

from dataclasses import dataclass, field

NONE, NOSASL, LDAP, CUSTOM, KERBEROS = AUTHS = ("NONE", "NOSASL", "LDAP", "CUSTOM", "KERBEROS")
"""The values of ``hive.server2.authentication`` that PyHive knows."""
WITH_PASSWORD = (LDAP, CUSTOM)
DEFAULT_PORT = 10_000


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
