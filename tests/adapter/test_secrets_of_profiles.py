"""The profile's secrets are shown nowhere."""

import pytest

from ctas_spark.redaction import HIDDEN, Redactor, is_secret, redacted
from fakes.profile import credentials


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


@pytest.mark.parametrize(
    "key",
    [
        "spark.hadoop.fs.gs.auth.service.account.private.key",
        "spark.hadoop.fs.s3a.encryption.key",
        "spark.hadoop.fs.s3a.server-side-encryption.key",
        "spark.sql.catalog.c.header.Authorization",
        "spark.sql.catalog.c.s3.sse.key",
        "spark.hadoop.fs.s3a.access.key",
        "spark.hadoop.fs.s3a.session.token",
        "spark.hadoop.fs.azure.account.key.x.dfs.core.windows.net",
        "spark.hadoop.fs.azure.sas.container.account",
        "spark.hadoop.javax.jdo.option.ConnectionPassword",
        "spark.sql.catalog.c.adls.sas-token.account",
        "spark.sql.catalog.c.credential",
        "spark.sql.catalog.c.s3.access-key-id",
        "spark.sql.catalog.c.s3.secret-access-key",
        "spark.ssl.keyStorePassword",
    ],
)
def test_keys_are_hidden(key: str) -> None:
    """From logs and errors, and from the command line of the JVM."""
    assert is_secret(key, "MIIEvQIBADANBg")
    assert redacted({key: "MIIEvQIBADANBg"}) == {key: HIDDEN}


def test_plain_settings_stay_readable() -> None:
    """Settings that are no secrets are shown as they are."""
    plain = {
        "spark.sql.shuffle.partitions": "4",
        "spark.authenticate": "true",
        "spark.hadoop.hive.metastore.uris": "thrift://one:9083,thrift://two:9083",
    }
    assert redacted(plain) == plain


def test_a_password_in_a_url_is_hidden_with_its_spaces() -> None:
    """And decoded as well, as an error may repeat it."""
    url = "jdbc:x://me:pw%40word@h/db?password=open sesame&user=me"
    assert redacted({"url": url})["url"] == f"jdbc:x://me:{HIDDEN}@h/db?password={HIDDEN}&user=me"
    assert Redactor({"url": url})("me pw@word open sesame") == f"me {HIDDEN} {HIDDEN}"


def test_a_token_in_a_url_is_not_shown() -> None:
    """Neither in dbt debug nor in repr, nor wherever an error repeats the URL."""
    found = credentials(method="connect", url="sc://spark:15002/;token=hush-hush;use_ssl=true")
    shown = repr(found) + str(dict(found.connection_info()))
    assert "hush-hush" not in shown
    assert "sc://spark:15002" in shown
    assert "hush-hush" not in found.hide_secrets("no answer of hush-hush")


def test_a_password_is_not_shown() -> None:
    """Neither in dbt debug nor in repr, nor wherever an error repeats it."""
    secret = {"password": "hush-hush"}
    found = credentials(method="thrift", host="spark", user="me", auth="LDAP", **secret)
    shown = repr(found) + repr(found.thrift_server) + str(dict(found.connection_info()))
    assert "hush-hush" not in shown
    assert "LDAP" in shown
    assert "hush-hush" not in found.hide_secrets("no login with hush-hush")


def test_every_option_of_a_hook_is_a_secret() -> None:
    """Whatever its name is, and within lists and mappings; a switch is none."""
    options = {"file": "hush-1", "team": ["hush-2", {"pwd": "hush-3"}], "loud": True, "times": 3}
    hide = credentials(hooks=[{"hook": "pager:Pager", **options}]).hide_secrets
    assert "hush" not in hide("hush-1 hush-2 hush-3")
    assert hide("True, 3") == "True, 3"


def test_the_options_of_hooks_are_not_shown() -> None:
    """Only their names are, in dbt debug; a webhook's address is hidden wherever it turns up."""
    url = "https://me:hush-1@hooks.example.org/services/hush-2"
    hooks = ["openlineage", {"hook": "json_lines", "url": url}, {"hook": "a:B", "token": "hush-3"}]
    found = credentials(hooks=hooks, hook_timeout=5)
    assert dict(found.connection_info())["hooks"] == ["openlineage", "json_lines", "a:B"]
    shown = repr(found) + str(dict(found.connection_info()))
    assert "hush" not in shown + found.hide_secrets(f"no answer of {url} with hush-3")
    assert found.hook_timeout == 5
