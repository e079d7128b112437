"""The profile names a server by its address, and says how to log in there."""

import pytest
from dbt_common.exceptions import DbtRuntimeError

from ctas_spark.engines.thrift import Http
from ctas_spark.engines.thrift.channel import KERBEROS, Access, Login, Tls
from ctas_spark.metastore.connections import PLAIN
from ctas_spark.redaction import HIDDEN
from fakes.profile import credentials


@pytest.mark.parametrize(
    ("fields", "remote"),
    [
        ({"host": "spark"}, "sc://spark:15002"),
        ({"host": "spark", "port": 15003}, "sc://spark:15003"),
        ({"url": "sc://spark:1/;use_ssl=true"}, "sc://spark:1/;use_ssl=true"),
        ({"spark_conf": {"spark.remote": "sc://conf"}}, "sc://conf"),
        ({"host": "spark", "spark_conf": {"spark.remote": "sc://conf"}}, "sc://spark:15002"),
    ],
)
def test_a_spark_connect_server_has_an_address(fields: dict[str, object], remote: str) -> None:
    """By host and port, by its URL, or where PySpark itself looks for one."""
    assert credentials(method="connect", **fields).remote == remote


def test_the_variable_of_pyspark_names_a_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """SPARK_REMOTE, for a profile that names none."""
    monkeypatch.setenv("SPARK_REMOTE", "sc://variable")
    assert credentials(method="connect").remote == "sc://variable"


def test_the_variable_of_pyspark_contradicts_other_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    """A remote session is not silently taken for a local one."""
    monkeypatch.setenv("SPARK_REMOTE", "sc://variable")
    with pytest.raises(DbtRuntimeError, match="the variable SPARK_REMOTE, names a Spark Connect"):
        credentials()


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"method": "connect"}, "host: missing"),
        ({"method": "connect", "url": "sc://a", "host": "b"}, "url: contains host and port"),
        ({"method": "connect", "url": "http://a"}, "url: must begin with sc://"),
        ({"method": "connect", "host": "a", "port": 70_000}, "port: 70000 is not a port"),
        (
            {
                "method": "connect",
                "host": "a",
                "formats": ["delta"],
                "metastore_reads": "repeatable",
            },
            "formats: only with method: session(.|\n)*metastore_reads: over a server",
        ),
        ({"url": "sc://a"}, "url: only with method: connect"),
        ({"port": 1}, "port: only with method: connect or thrift"),
        ({"user": "me", "auth": "LDAP"}, "user and auth: only with method: thrift"),
        ({"method": "connect", "host": "a", "password": "x"}, "password: only with method: thr"),
        ({"method": "thrift"}, r"host: missing; method: thrift needs host \(and port\)"),
        ({"method": "thrift", "host": "a", "url": "sc://a"}, "url: only with method: connect"),
        ({"method": "thrift", "host": "a", "port": "x"}, "port: 'x' is not a port"),
        ({"method": "thrift", "host": "a", "auth": "PAM"}, "auth: 'PAM' is not known; use one of"),
        ({"method": "thrift", "host": "a", "auth": "LDAP"}, "password: missing with auth: LDAP"),
        ({"method": "thrift", "host": "a", "password": "x"}, "password: only with auth: LDAP or"),
        ({"method": "thrift", "host": "a", "auth": "KERBEROS"}, "kerberos_service_name: missing"),
        (
            {
                "method": "thrift",
                "host": "a",
                "formats": ["delta"],
                "metastore_reads": "repeatable",
            },
            "formats: only with method: session(.|\n)*metastore_reads: over a server",
        ),
        (
            {"method": "thrift", "host": "a", "spark_conf": {"spark.remote": "sc://b"}},
            "method: spark.remote in spark_conf, or .* names a Spark Connect server; use connect",
        ),
        ({"spark_conf": {"spark.remote": "sc://b"}}, "names a Spark Connect server; use connect"),
        (
            {"method": "thrift", "host": "a", "query_retries": 2},
            "query_retries: .* never sent again",
        ),
        ({"use_ssl": True}, "use_ssl: only with method: thrift"),
        (
            {"method": "thrift", "host": "a", "ca_cert": "ca.pem"},
            "ca_cert: only with use_ssl: true or metastore_use_ssl: true",
        ),
        (
            {"method": "thrift", "host": "a", "http_path": "x", "http_headers": {"a": "b"}},
            r"(?s)http_path: only with use_http_transport: true.*http_headers: only with",
        ),
        (
            {"method": "thrift", "host": "a", "connect_retries": -1, "connect_timeout": "5"},
            r"(?s)connect_retries: -1 is not a number of at least 0.*connect_timeout: '5' is not",
        ),
        ({"method": "thrift", "host": "a", "retry_all": True}, "retry_all: what is safe to try"),
        (
            {"method": "connect", "host": "a", "metastore_use_ssl": True, "ca_cert": "ca.pem"},
            "metastore_use_ssl: only with metastore",
        ),
        (
            {"method": "thrift", "host": "a", "metastore_kerberos_service_name": "hive"},
            "metastore_kerberos_service_name: only with metastore",
        ),
        ({"metastore": "thrift://a:9083"}, "metastore: only with method: connect or thrift"),
        (
            {"method": "thrift", "host": "a", "metastore": "a:9083"},
            "metastore: 'a:9083' is not thrift://host:port",
        ),
    ],
)
def test_a_wrong_address_is_said(
    monkeypatch: pytest.MonkeyPatch, fields: dict[str, object], said: str
) -> None:
    """Before anything is opened."""
    monkeypatch.delenv("SPARK_REMOTE", raising=False)
    with pytest.raises(DbtRuntimeError, match=said):
        credentials(**fields)


def test_a_thrift_server_has_an_address_and_a_user() -> None:
    """By dbt-spark's names."""
    found = credentials(method="thrift", host="spark", user="me").thrift_server
    assert (str(found), found.access) == ("spark:10000", Access(Login("NONE", "me")))
    named = credentials(
        method="thrift",
        host="spark",
        port=10001,
        auth="KERBEROS",
        kerberos_service_name="hive",
    ).thrift_server
    assert str(named) == "spark:10001"
    assert named.access.login.kerberos_service_name == "hive"


def test_a_thrift_server_may_speak_http_and_tls() -> None:
    """By dbt-spark's name for TLS, and Impyla's and dbt-hive's names for the rest."""
    found = credentials(
        method="thrift",
        host="spark",
        port=443,
        use_ssl=True,
        ca_cert="ca.pem",
        use_http_transport=True,
        http_path="gateway/hs2",
        http_headers={"X-Token": "hush-hush"},
        connect_retries=5,
        connect_timeout=3,
    )
    server = found.thrift_server
    assert server.url == "https://spark:443/gateway/hs2"
    assert (server.access.tls, server.access.seconds, server.retries) == (Tls("ca.pem"), 3, 5)
    assert server.http == Http("gateway/hs2", (("X-Token", "hush-hush"),))
    shown = repr(found) + repr(server) + str(dict(found.connection_info()))
    assert "hush-hush" not in shown + found.hide_secrets("no answer to hush-hush")
    assert dict(found.connection_info())["http_headers"] == {"X-Token": HIDDEN}
    plain = credentials(method="thrift", host="spark", use_http_transport=True).thrift_server
    assert plain.url == "http://spark:10000/cliservice"


def test_a_servers_metastore_has_a_login_of_its_own() -> None:
    """By Kerberos and by TLS, whatever the server itself wants."""
    fields = {"method": "thrift", "host": "spark", "metastore": "thrift://hms:9083"}
    plain = credentials(**fields, user="me").metastore_address
    assert plain is not None
    assert (plain.uris, plain.user, plain.access) == ("thrift://hms:9083", "me", PLAIN)
    secured = credentials(
        **fields,
        metastore_kerberos_service_name="hive",
        metastore_use_ssl=True,
        ca_cert="ca.pem",
    ).metastore_address
    assert secured is not None
    login = Login(KERBEROS, kerberos_service_name="hive")
    assert secured.access == Access(login, Tls("ca.pem"))
    assert credentials().metastore_address is None
