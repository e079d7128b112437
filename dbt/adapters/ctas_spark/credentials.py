"""The profile's fields: all but ``schema`` have a default, and an unknown one is an error."""

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from itertools import chain
from typing import Any, ClassVar

from dbt_common.exceptions import DbtRuntimeError

from ctas_spark.catalogs.formats import FORMATS
from ctas_spark.catalogs.server_metastore import METASTORE, MetastoreAddress
from ctas_spark.catalogs.settings import SETTINGS
from ctas_spark.context import SESSION_CATALOG, catalog_of
from ctas_spark.engines import thrift
from ctas_spark.engines.launch import REMOTE_SETTING, REMOTE_VARIABLE
from ctas_spark.engines.thrift import Http, ThriftServer
from ctas_spark.engines.thrift.channel import (
    AUTHS,
    KERBEROS,
    NONE,
    NOSASL,
    WITH_PASSWORD,
    Access,
    Login,
    Tls,
)
from ctas_spark.errors import MetastoreError, ProfileError
from ctas_spark.hooks import registered
from ctas_spark.hooks.calls import SECONDS
from ctas_spark.metastore.connections import addresses_in
from ctas_spark.quoting import sparks_texts
from ctas_spark.redaction import HIDDEN, Redactor, redacted
from dbt.adapters.contracts.connection import Credentials

SESSION = "session"
CONNECT = "connect"
THRIFT = "thrift"
METHODS = (SESSION, CONNECT, THRIFT)
USE_ONE = f"use one of {', '.join(METHODS)}"
OF_DATABRICKS = {
    "http": "for Databricks there is dbt-databricks, and for a Spark server that speaks HTTP, "
    "method: thrift with use_http_transport: true; ",
    "odbc": "for Databricks there is dbt-databricks; ",
}
"""dbt-spark's methods that lead there."""
DEFAULT_PORT = 15002
URL = "url"
PASSWORD = "password"  # noqa: S105 (the name of the field)
SERVICE = "kerberos_service_name"
USE_SSL, CA = "use_ssl", "ca_cert"
OF_HTTP = USE_HTTP, HTTP_PATH, HEADERS = "use_http_transport", "http_path", "http_headers"
NUMBERS = RETRIES, TIMEOUT = "connect_retries", "connect_timeout"
TO_METASTORE = METASTORE_SERVICE, METASTORE_SSL = (
    "metastore_kerberos_service_name",
    "metastore_use_ssl",
)
OF_METHODS = {
    (CONNECT,): (URL,),
    (CONNECT, THRIFT): ("port", METASTORE, *TO_METASTORE, CA),
    (THRIFT,): ("user", PASSWORD, "auth", SERVICE, USE_SSL, *OF_HTTP, *NUMBERS),
    (SESSION,): ("formats",),
}
"""Fields that only some methods have; without ``host``, which dbt-spark wants for each."""
OF_DBT_SPARK = {
    "query_retries": "a statement that may still be running is never sent again; remove it",
    "query_timeout": "set spark.sql.thriftServer.queryTimeout in spark_conf instead",
    "poll_interval": "the server says at once when a statement has ended; remove it",
    "retry_all": "what is safe to try again is, as often as connect_retries says; remove it",
}
"""dbt-spark's fields that have no meaning here, and what holds instead."""
REPEATABLE = "repeatable"
SCHEME = "sc://"
HIGHEST_PORT = 65_535
DEFAULT_CATALOG = "spark.sql.defaultCatalog"
OF_DBT = ("type", "threads", "server_side_parameters")


class AdapterType(str):
    """``target.type`` in a project: packages that compare it with ``spark`` mean this one, too.

    dbt itself looks the adapter up by the text and its hash, which stay those of ctas_spark.
    """

    __slots__ = ()
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        return other == "spark" or str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other


@dataclass
class CtasSparkCredentials(Credentials):
    """A target of ``type: ctas_spark``; docs/configuration.md says what each field means.

    ``server_side_parameters`` is dbt-spark's name for ``spark_conf``.
    """

    schema: str = ""
    database: str | None = SESSION_CATALOG  # type: ignore[assignment]  # may be written and left empty
    method: str = SESSION
    staging_schema: str | None = None
    formats: list[str] = field(default_factory=list)
    iceberg_catalogs: list[str] = field(default_factory=list)
    metastore: str | None = None
    metastore_kerberos_service_name: str | None = None
    metastore_use_ssl: bool = False
    metastore_reads: str | None = None
    host: str | None = None
    port: int | None = None
    url: str | None = field(default=None, repr=False)
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    auth: str | None = None
    kerberos_service_name: str | None = None
    use_ssl: bool = False
    ca_cert: str | None = None
    use_http_transport: bool = False
    http_path: str | None = None
    http_headers: dict[str, str] = field(default_factory=dict, repr=False)
    connect_retries: int = 2
    connect_timeout: int = 10
    spark_conf: dict[str, Any] = field(default_factory=dict, repr=False)
    publications_table: bool = True
    hooks: list[Any] = field(default_factory=list, repr=False)
    hook_timeout: int = SECONDS

    _ALIASES: ClassVar[dict[str, str]] = {"server_side_parameters": "spark_conf"}

    @classmethod
    def validate(cls, data: dict[str, Any]) -> None:
        """Report every wrong field at once, before dbt looks at their types."""
        problems = list(_problems(data))
        if problems:
            raise DbtRuntimeError(str(ProfileError.of(problems)))
        super().validate(data)

    def __post_init__(self) -> None:
        # in profiles for dbt-spark, a database that repeats the schema means none
        is_catalog = f"{SETTINGS}{self.schema}" in self.spark_conf
        repeats = self.database == self.schema and not is_catalog
        self.database = SESSION_CATALOG if repeats else catalog_of(self.database)
        self.spark_conf = sparks_texts(self.spark_conf)

    @property
    def type(self) -> str:
        return AdapterType("ctas_spark")

    @property
    def remote(self) -> str:
        """The address of the Spark Connect server; it may hold a token."""
        address = self.url or (self.host and f"{SCHEME}{self.host}:{self.port or DEFAULT_PORT}")
        return address or _named_elsewhere(self.spark_conf)

    @property
    def thrift_server(self) -> ThriftServer:
        """The Thrift server, and the user to log in as."""
        login = Login(self.auth or NONE, self.user, self.password, self.kerberos_service_name)
        tls = Tls(self.ca_cert) if self.use_ssl else None
        headers = tuple(self.http_headers.items())
        return ThriftServer(
            str(self.host),
            self.port or thrift.DEFAULT_PORT,
            Access(login, tls, self.connect_timeout),
            Http(self.http_path or thrift.HTTP_PATH, headers) if self.use_http_transport else None,
            self.connect_retries,
        )

    @property
    def metastore_address(self) -> MetastoreAddress | None:
        """Where tables of files are published over a server; None without one."""
        service = self.metastore_kerberos_service_name
        login = Login(KERBEROS, kerberos_service_name=service) if service else Login(NOSASL)
        return MetastoreAddress.of(
            self.metastore,
            self.user,
            repeatable_reads=self.metastore_reads == REPEATABLE,
            access=Access(login, Tls(self.ca_cert) if self.metastore_use_ssl else None),
        )

    @property
    def hide_secrets(self) -> Redactor:
        """Hides the profile's secrets wherever they turn up in a text."""
        own = {URL: self.remote, PASSWORD: self.password or "", **registered.secrets(self.hooks)}
        headers = {f"{HEADERS}.header.{name}": value for name, value in self.http_headers.items()}
        return Redactor({**self.spark_conf, **own, **headers})

    @property
    def unique_field(self) -> str:
        return self.schema

    def _connection_keys(self) -> tuple[str, ...]:
        """What the profile says, without the password and the fields of other methods."""
        others = [names for owners, names in OF_METHODS.items() if self.method not in owners]
        left_out = {PASSWORD, *chain.from_iterable(others)}
        every = {one.name: getattr(self, one.name) for one in fields(self)}
        said = {name: value for name, value in every.items() if name not in left_out}
        return tuple(name for name, value in said.items() if value not in (None, [], {}))

    def connection_info(self, *, with_aliases: bool = False) -> Iterable[tuple[str, Any]]:
        """What ``dbt debug`` and ``target`` show: without secrets."""
        for key, value in super().connection_info(with_aliases=with_aliases):
            hidden = redacted({URL: value})[URL] if key == URL else value
            hidden = registered.names(value) if key == "hooks" else hidden
            if key == HEADERS:
                yield key, dict.fromkeys(value, HIDDEN)
            else:
                yield key, redacted(value) if isinstance(value, Mapping) else hidden


def _problems(data: Mapping[str, Any]) -> Iterable[str]:
    known = [one.name for one in fields(CtasSparkCredentials)]
    for name in data:
        if name in OF_DBT_SPARK:
            yield f"{name}: {OF_DBT_SPARK[name]}"
        elif name not in known and name not in OF_DBT:
            near = get_close_matches(str(name), known, n=1)
            yield f"unknown field {name!r}" + (f": did you mean {near[0]!r}?" if near else "")
    method = data.get("method", SESSION)
    if method in METHODS:
        yield from _problems_of_method(data, method)
    else:
        yield f"method: {method!r} is not available; {OF_DATABRICKS.get(str(method), '')}{USE_ONE}"
    if not data.get("schema"):
        yield "schema: missing; it is the one field without a default"
    if not isinstance(data.get("spark_conf", {}), Mapping):
        yield "spark_conf: must map Spark's setting names to values"
    catalog = catalog_of(str(_conf(data).get(DEFAULT_CATALOG) or ""))
    if catalog != SESSION_CATALOG:
        yield f"spark_conf: {DEFAULT_CATALOG} is not used; set database: {catalog} instead"
    yield from _problems_of_declarations(data)


def _problems_of_declarations(data: Mapping[str, Any]) -> Iterable[str]:
    if data.get("formats", []) not in ([], *([name] for name in FORMATS)):
        yield (
            f"formats: must be {' or '.join(f'[{name}]' for name in FORMATS)}; {SESSION_CATALOG} "
            "has tables of one of them; for the other, configure another catalog in spark_conf"
        )
    names = data.get("iceberg_catalogs", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        yield "iceberg_catalogs: must be a list of names of catalogs"
    reads = data.get("metastore_reads")
    if reads not in (None, REPEATABLE):
        yield f"metastore_reads: {reads!r} is unknown; use {REPEATABLE}, or remove it"
    if reads is not None and data.get("method", SESSION) != SESSION and not data.get(METASTORE):
        yield f"metastore_reads: over a server only with {METASTORE}"
    try:
        addresses_in(data.get(METASTORE) or "thrift://none:1")
    except (MetastoreError, AttributeError):
        yield f"{METASTORE}: {data[METASTORE]!r} is not thrift://host:port, with commas in between"
    yield from registered.misnamed(data.get("hooks", []))
    seconds = data.get("hook_timeout", SECONDS)
    if type(seconds) is not int or seconds < 1:
        yield f"hook_timeout: {seconds!r} is not a number of seconds"


def _problems_of_method(data: Mapping[str, Any], method: str) -> Iterable[str]:
    # dbt asks again about what it has filled with defaults
    defaults = {one.name: one.default for one in fields(CtasSparkCredentials)}
    for owners, names in OF_METHODS.items():
        given = [name for name in names if data.get(name) not in (None, [], {}, defaults[name])]
        if given and method not in owners:
            yield f"{' and '.join(given)}: only with method: {' or '.join(owners)}"
    if method != CONNECT and _named_elsewhere(_conf(data)):
        named = f"{REMOTE_SETTING} in spark_conf, or the variable {REMOTE_VARIABLE},"
        yield f"method: {named} names a Spark Connect server; use {CONNECT}, or remove it"
    if method == SESSION:
        return
    yield from _problems_of_metastore(data)
    port = data.get("port")
    if port is not None and (type(port) is not int or not 0 < port <= HIGHEST_PORT):
        yield f"port: {port!r} is not a port"
    yield from (_problems_of_connect if method == CONNECT else _problems_of_thrift)(data)


def _problems_of_metastore(data: Mapping[str, Any]) -> Iterable[str]:
    for name in TO_METASTORE:
        if data.get(name) and not data.get(METASTORE):
            yield f"{name}: only with {METASTORE}"
    if data.get(CA) is not None and not (data.get(USE_SSL) or data.get(METASTORE_SSL)):
        yield f"{CA}: only with {USE_SSL}: true or {METASTORE_SSL}: true"


def _problems_of_connect(data: Mapping[str, Any]) -> Iterable[str]:
    url, host, port = data.get(URL), data.get("host"), data.get("port")
    if url and (host or port is not None):
        yield "url: contains host and port; give either url, or host and port"
    if url and not str(url).startswith(SCHEME):
        yield f"url: must begin with {SCHEME}, as in {SCHEME}host:{DEFAULT_PORT}"
    if not url and not host and not _named_elsewhere(_conf(data)):
        yield f"host: missing; method: {CONNECT} needs host (and port), url, or {REMOTE_VARIABLE}"


def _problems_of_thrift(data: Mapping[str, Any]) -> Iterable[str]:
    if not data.get("host"):
        yield f"host: missing; method: {THRIFT} needs host (and port)"
    yield from _problems_of_transport(data)
    auth = data.get("auth") or NONE
    if auth not in AUTHS:
        yield f"auth: {auth!r} is not known; use one of {', '.join(AUTHS)}"
        return
    for name, owners in ((PASSWORD, WITH_PASSWORD), (SERVICE, (KERBEROS,))):
        if (auth in owners) != (data.get(name) is not None):
            said = "missing" if auth in owners else "only"
            yield f"{name}: {said} with auth: {' or '.join(owners)}"


def _problems_of_transport(data: Mapping[str, Any]) -> Iterable[str]:
    for name in (HTTP_PATH, HEADERS):
        if data.get(name) and not data.get(USE_HTTP):
            yield f"{name}: only with {USE_HTTP}: true"
    for name, least in ((RETRIES, 0), (TIMEOUT, 1)):
        number = data.get(name, least)
        if type(number) is not int or number < least:
            yield f"{name}: {number!r} is not a number of at least {least}"


def _conf(data: Mapping[str, Any]) -> Mapping[str, Any]:
    conf = data.get("spark_conf")
    return conf if isinstance(conf, Mapping) else {}


def _named_elsewhere(conf: Mapping[str, Any]) -> str:
    """The server that PySpark itself would connect to; empty if nothing names one."""
    return str(conf.get(REMOTE_SETTING) or os.environ.get(REMOTE_VARIABLE) or "")
