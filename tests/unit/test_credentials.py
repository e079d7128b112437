"""The profile: one mandatory field, no silently ignored one, no secret shown."""

import pytest
from dbt_common.dataclass_schema import ValidationError
from dbt_common.exceptions import DbtRuntimeError

from ctas_spark.engines.thrift import Http
from ctas_spark.engines.thrift.channel import KERBEROS, Access, Login, Tls
from ctas_spark.metastore.connections import PLAIN
from ctas_spark.redaction import HIDDEN, Redactor, is_secret, redacted
from dbt.adapters.ctas_spark.credentials import CtasSparkCredentials


def credentials(**fields: object) -> CtasSparkCredentials:
    """A profile, taken the way dbt takes it."""
    data = CtasSparkCredentials.translate_aliases({"schema": "shop", **fields})
    CtasSparkCredentials.validate(data)
    return CtasSparkCredentials.from_dict(data)


def test_a_schema_is_enough() -> None:
    """Everything but schema has a default."""
    found = credentials()
    assert (found.method, found.database, found.spark_conf) == ("session", "spark_catalog", {})


@pytest.mark.parametrize(
    "fields",
    [{}, {"method": "connect", "host": "h"}, {"method": "thrift", "host": "h"}],
    ids=["session", "connect", "thrift"],
)
def test_a_profile_is_right_with_its_defaults_too(fields: dict[str, object]) -> None:
    """dbt validates it once more when it has filled them in."""
    CtasSparkCredentials.validate(credentials(**fields).to_dict(omit_none=True))


def test_a_project_that_asks_for_spark_means_this_adapter() -> None:
    """Packages change their tests by ``target.type``; dbt finds the adapter all the same."""
    found = credentials().type
    assert found == "spark"
    assert found in ["databricks", "spark"]
    assert found == "ctas_spark"
    assert found != "snowflake"
    assert f"dbt.adapters.{found}" == "dbt.adapters.ctas_spark"
    assert {"ctas_spark": 1}[found] == 1


def test_dbt_sparks_names_work() -> None:
    """server_side_parameters is spark_conf, and its mandatory host is taken."""
    found = credentials(host="NA", server_side_parameters={"spark.x": True, "spark.n": 1})
    assert found.spark_conf == {"spark.x": "true", "spark.n": "1"}


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"schema": ""}, "schema: missing"),
        ({"method": "odbc"}, "method: 'odbc' is not available; for Databricks there is dbt-data"),
        ({"method": "http"}, "method: thrift with use_http_transport: true; use one of session"),
        ({"method": "carrier pigeon"}, "is not available"),
        (
            {"spark_conf": {"spark.sql.defaultCatalog": "ice"}},
            "spark_conf: spark.sql.defaultCatalog is not used; set database: ice instead",
        ),
        ({"spark_config": {}}, "unknown field 'spark_config': did you mean 'spark_conf'?"),
        ({"spark_conf": ["x"]}, "spark_conf: must map"),
        ({"iceberg_catalogs": "glue"}, "iceberg_catalogs: must be a list of names of catalogs"),
        ({"iceberg_catalogs": [{"glue": "atomic"}]}, "iceberg_catalogs: must be a list"),
        ({"formats": "iceberg"}, "formats: must be [delta] or [iceberg]"),
        ({"formats": ["delta", "iceberg"]}, "spark_catalog has tables of one of them"),
        ({"metastore_reads": "yes"}, "metastore_reads: 'yes' is unknown; use repeatable"),
        ({"hooks": "json_lines"}, "hooks: must be a list of names"),
        ({"hooks": [{"path": "a"}]}, "each must be a name, or a mapping with hook and options"),
        ({"hook_timeout": 0}, "hook_timeout: 0 is not a number of seconds"),
        ({"hook_timeout": "5"}, "hook_timeout: '5' is not a number of seconds"),
    ],
)
def test_a_wrong_field_is_named(fields: dict[str, object], said: str) -> None:
    """Unknown and contradictory fields are errors that name the field."""
    with pytest.raises(DbtRuntimeError) as caught:
        credentials(**fields)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("fields", "catalog"),
    [
        ({"database": None}, "spark_catalog"),
        ({"database": "Spark_Catalog"}, "spark_catalog"),
        ({"spark_conf": {"spark.sql.defaultCatalog": "spark_catalog"}}, "spark_catalog"),
        ({"database": "shop"}, "spark_catalog"),
        ({"database": "shop", "spark_conf": {"spark.sql.catalog.shop": "x.Catalog"}}, "shop"),
        ({"database": "Ice"}, "Ice"),
    ],
)
def test_the_database_is_a_catalog(fields: dict[str, object], catalog: str) -> None:
    """None is the session's; one that repeats the schema, dbt-spark's way to say none, is too.

    Unless there is a catalog of that name: Spark tells the case of all names but its own apart.
    """
    found = credentials(**fields)
    assert found.database == catalog
    assert dict(found.connection_info())["database"] == catalog


def test_what_is_known_of_catalogs_can_be_declared() -> None:
    """Names as Spark tells their case apart; nothing is declared by default."""
    found = credentials(iceberg_catalogs=["Lake"], metastore_reads="repeatable")
    assert (found.iceberg_catalogs, found.metastore_reads) == (["Lake"], "repeatable")
    assert (credentials().iceberg_catalogs, credentials().metastore_reads) == ([], None)


def test_the_table_at_the_end_is_turned_off_by_one_field() -> None:
    """dbt itself refuses what is neither true nor false."""
    assert credentials().publications_table
    assert not credentials(publications_table=False).publications_table
    with pytest.raises(ValidationError, match="'no' is not of type 'boolean'"):
        credentials(publications_table="no")


def test_all_wrong_fields_are_said_at_once() -> None:
    """All wrong fields of a profile are reported in one error."""
    with pytest.raises(
        DbtRuntimeError, match=r"\[INVALID_PROFILE\] 3 errors in the profile"
    ) as caught:
        credentials(schema="", method="http", spark_conf={"spark.sql.defaultCatalog": "ice"})
    assert "set database: ice instead" in str(caught.value)


def test_debug_and_repr_show_no_secret() -> None:
    """What dbt debug prints, what Jinja's target holds, and repr hide values of secret keys."""
    found = credentials(
        spark_conf={
            "spark.hadoop.fs.s3a.secret.key": "hush-hush-1",
            "spark.hadoop.javax.jdo.option.ConnectionURL": "jdbc:x://h?user=u&password=hush-hush-2",
            "spark.hadoop.fs.s3a.aws.credentials.provider": "org.example.Provider",
        }
    )
    shown = repr(found) + str(dict(found.connection_info()))
    assert "hush-hush" not in shown
    assert "org.example.Provider" in shown


def test_a_secret_is_hidden_wherever_it_turns_up() -> None:
    """Spark's own error text may repeat a secret; it is hidden there as well."""
    hide = Redactor({"spark.some.token": "abc-secret", "spark.url": "s3://me:pa55word@host"})
    assert hide("failed with abc-secret at me:pa55word@") == f"failed with {HIDDEN} at me:{HIDDEN}@"


@pytest.mark.parametrize(
    "key",
    [
        *("spark.my.apikey", "spark.my.api_key", "spark.my.api-key", "spark.my.pwd"),
        *("spark.my.passphrase", "spark.sql.catalog.r.header.X-Api-Key"),
        "spark.sql.catalog.r.header.X-Tenant-Path",
    ],
)
def test_a_setting_that_is_a_secret_is_known_by_its_name(key: str) -> None:
    """Every header is one, whatever it is called."""
    assert redacted({key: "hush-hush-1"}) == {key: HIDDEN}


def test_a_password_in_a_url_is_hidden_with_its_spaces() -> None:
    """And decoded as well, as an error may repeat it."""
    url = "jdbc:x://me:pw%40word@h/db?password=open sesame&user=me"
    assert redacted({"url": url})["url"] == f"jdbc:x://me:{HIDDEN}@h/db?password={HIDDEN}&user=me"
    assert Redactor({"url": url})("me pw@word open sesame") == f"me {HIDDEN} {HIDDEN}"


def test_every_option_of_a_hook_is_a_secret() -> None:
    """Whatever its name is, and within lists and mappings; a switch is none."""
    options = {"file": "hush-1", "team": ["hush-2", {"pwd": "hush-3"}], "loud": True, "times": 3}
    hide = credentials(hooks=[{"hook": "pager:Pager", **options}]).hide_secrets
    assert "hush" not in hide("hush-1 hush-2 hush-3")
    assert hide("True, 3") == "True, 3"


def test_plain_settings_stay_readable() -> None:
    """Settings that are no secrets are shown as they are."""
    plain = {
        "spark.sql.shuffle.partitions": "4",
        "spark.authenticate": "true",
        "spark.hadoop.hive.metastore.uris": "thrift://one:9083,thrift://two:9083",
    }
    assert redacted(plain) == plain


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
            r"(?s)connect_retries: -1 is not a number from 0 on.*connect_timeout: '5' is not",
        ),
        ({"method": "thrift", "host": "a", "retry_all": True}, "retry_all: whatever may be tried"),
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


def test_the_variable_of_pyspark_contradicts_other_methods(monkeypatch: pytest.MonkeyPatch) -> None:
    """A remote session is not silently taken for a local one."""
    monkeypatch.setenv("SPARK_REMOTE", "sc://variable")
    with pytest.raises(DbtRuntimeError, match="the variable SPARK_REMOTE, names a Spark Connect"):
        credentials()


def test_a_token_in_a_url_is_not_shown() -> None:
    """Neither in dbt debug nor in repr, nor wherever an error repeats the URL."""
    found = credentials(method="connect", url="sc://spark:15002/;token=hush-hush;use_ssl=true")
    shown = repr(found) + str(dict(found.connection_info()))
    assert "hush-hush" not in shown
    assert "sc://spark:15002" in shown
    assert "hush-hush" not in found.hide_secrets("no answer of hush-hush")


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


def test_a_password_is_not_shown() -> None:
    """Neither in dbt debug nor in repr, nor wherever an error repeats it."""
    secret = {"password": "hush-hush"}
    found = credentials(method="thrift", host="spark", user="me", auth="LDAP", **secret)
    shown = repr(found) + repr(found.thrift_server) + str(dict(found.connection_info()))
    assert "hush-hush" not in shown
    assert "LDAP" in shown
    assert "hush-hush" not in found.hide_secrets("no login with hush-hush")


def test_the_options_of_hooks_are_not_shown() -> None:
    """Only their names are, in dbt debug; a webhook's address is hidden wherever it turns up."""
    url = "https://me:hush-1@hooks.example.org/services/hush-2"
    hooks = ["openlineage", {"hook": "json_lines", "url": url}, {"hook": "a:B", "token": "hush-3"}]
    found = credentials(hooks=hooks, hook_timeout=5)
    assert dict(found.connection_info())["hooks"] == ["openlineage", "json_lines", "a:B"]
    shown = repr(found) + str(dict(found.connection_info()))
    assert "hush" not in shown + found.hide_secrets(f"no answer of {url} with hush-3")
    assert found.hook_timeout == 5


@pytest.mark.parametrize(
    "key",
    [
        "spark.hadoop.fs.gs.auth.service.account.private.key",
        "spark.hadoop.fs.s3a.encryption.key",
        "spark.hadoop.fs.s3a.server-side-encryption.key",
        "spark.sql.catalog.c.header.Authorization",
        "spark.sql.catalog.c.s3.sse.key",
        "spark.hadoop.fs.s3a.access.key",
    ],
)
def test_keys_are_hidden(key: str) -> None:
    """From logs and errors, and from the command line of the JVM."""
    assert is_secret(key, "MIIEvQIBADANBg")
    assert redacted({key: "MIIEvQIBADANBg"}) == {key: HIDDEN}
