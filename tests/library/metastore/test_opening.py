"""How a session's metastore is called, and what it is called by every process."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ctas_spark.engines import jvm
from ctas_spark.engines.thrift.channel import KERBEROS
from ctas_spark.errors import AtomicityNotSupportedError, MetastoreNotReachedError
from ctas_spark.metastore.connections import PLAIN
from ctas_spark.metastore.opening import (
    database_address,
    goes_over_thrift,
    is_of_one_process,
    login_by,
    open_metastore,
)
from servers.answering import answering

HERE, THERE = Path("/projects/shop"), Path("/projects/other")
URIS = "thrift://one:9083,thrift://two:9083"


@pytest.mark.parametrize("uris", ["", URIS])
def test_the_client_in_the_jvm_is_used_where_it_can_be(uris: str) -> None:
    """With Spark's builtin Hive classes the call is made in its JVM, embedded or remote."""
    assert not goes_over_thrift(
        "hive", "builtin", uris, ("hive.metastore.thrift.compact.protocol.enabled",)
    )


@pytest.mark.parametrize("jars", ["maven", "path", "/opt/hive/lib/*"])
def test_isolated_classes_are_passed_over_thrift(jars: str) -> None:
    """Where Spark isolates its Hive classes, the known metastore is called over Thrift."""
    assert goes_over_thrift("hive", jars, URIS)


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (("in-memory", "builtin", ""), "in memory ends with this process"),
        (("hive", "maven", ""), "isolated.*no metastore is known"),
        (
            ("hive", "maven", URIS, ("hive.metastore.thrift.framed.transport.enabled",)),
            r"isolated.*no metastore can be reached yet with hive\.metastore\.thrift\.framed",
        ),
    ],
)
def test_what_cannot_be_called_is_refused_by_name(settings: tuple[Any, ...], reason: str) -> None:
    """A catalog that can't be reached is refused, with the reason and a setting to change."""
    with pytest.raises(AtomicityNotSupportedError, match=reason) as caught:
        goes_over_thrift(*settings)
    assert (caught.value.left, bool(caught.value.remedy)) == ("nothing was started", True)


@pytest.mark.parametrize(
    ("principal", "service", "host"),
    [
        ("hive/_HOST@EXAMPLE.ORG", "hive", None),
        ("hms/balancer.example.org@EXAMPLE.ORG", "hms", "balancer.example.org"),
        ("hive", "hive", None),
    ],
)
def test_the_servers_principal_says_how_to_log_in(
    principal: str, service: str, host: str | None
) -> None:
    """A name for any host is the one that is connected to; without a principal nobody logs in."""
    login = login_by(principal)
    assert (login.auth, login.kerberos_service_name, login.kerberos_host) == (
        KERBEROS,
        service,
        host,
    )
    assert login_by("") == PLAIN.login


def test_another_program_at_a_metastores_port_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a session of the user's own as well: Hive's client would wait for ten minutes."""
    spark: Any = SimpleNamespace(
        conf={"spark.sql.catalogImplementation": "hive"}, sparkContext=SimpleNamespace()
    )
    with answering(b"HTTP/1.1 400 Bad") as port:
        settings = {"hive.metastore.uris": f"thrift://127.0.0.1:{port}"}
        hadoop = SimpleNamespace(get=settings.get, getBoolean=lambda *_: False)
        monkeypatch.setattr(jvm, "hadoop_configuration", lambda _: hadoop)
        with pytest.raises(MetastoreNotReachedError, match="the server speaks HTTP at this port"):
            open_metastore(spark)


@pytest.mark.parametrize(
    ("key", "named", "is_refused"),
    [
        (
            "hive.metastore.client.factory.class",
            "com.amazonaws.glue.catalog.metastore.AWSGlueDataCatalogHiveClientFactory",
            True,
        ),
        ("metastore.client.impl", "org.example.ClientOfAnother", True),
        (
            "hive.metastore.client.factory.class",
            "org.apache.hadoop.hive.ql.metadata.SessionHiveMetaStoreClientFactory",
            False,
        ),
        (
            "hive.metastore.client.impl",
            "org.apache.hadoop.hive.metastore.client.ThriftHiveMetaStoreClient",
            False,
        ),
    ],
)
def test_a_client_of_another_catalog_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, key: str, named: str, *, is_refused: bool
) -> None:
    """Glue's, for one: its tables are in no metastore that we could call."""
    spark: Any = SimpleNamespace(conf={"spark.sql.catalogImplementation": "in-memory"})
    hadoop = SimpleNamespace(get={key: named}.get, getBoolean=lambda *_: False)
    monkeypatch.setattr(jvm, "hadoop_configuration", lambda _: hadoop)
    with pytest.raises(AtomicityNotSupportedError) as caught:
        open_metastore(spark)
    assert (named in caught.value.what, key in caught.value.remedy) == (is_refused, is_refused)


@pytest.mark.parametrize(
    "url",
    [
        "jdbc:derby:;databaseName=/data/metastore_db;create=true",
        "jdbc:derby:/data/metastore_db;create=true",
        "jdbc:derby:directory:/data/metastore_db",
    ],
)
def test_an_absolute_derby_is_the_same_from_everywhere(url: str) -> None:
    """However it is written, and wherever the process was started."""
    found = {database_address(url, directory) for directory in (HERE, THERE)}
    assert found == {"jdbc:derby:/data/metastore_db"}


def test_a_relative_derby_is_that_of_its_directory() -> None:
    """Two projects with Spark's default have two metastores."""
    url = "jdbc:derby:;databaseName=metastore_db;create=true"
    assert database_address(url, HERE) == "jdbc:derby:/projects/shop/metastore_db"
    assert database_address(url, THERE) == "jdbc:derby:/projects/other/metastore_db"


def test_a_servers_database_is_the_same_from_everywhere() -> None:
    """The process's directory has no part in it."""
    postgresql = "jdbc:postgresql://database:5432/metastore"
    for directory in (HERE, THERE):
        assert database_address(postgresql, directory) == postgresql


def test_an_address_has_no_password() -> None:
    """It is printed, and kept next to the versions; another password is not another metastore."""
    url = "jdbc:postgresql://db/hive?user=hive&password={}"
    found = {database_address(url.format(one), HERE) for one in ("hush-hush-1", "hush-hush-2")}
    assert len(found) == 1
    assert "hush" not in found.pop()


@pytest.mark.parametrize(
    ("url", "is_it"),
    [
        ("jdbc:derby:;databaseName=metastore_db;create=true", True),
        ("jdbc:derby:memory:metastore", True),
        ("jdbc:derby://localhost:1527/metastore;create=true", False),
        ("jdbc:postgresql://localhost/metastore", False),
    ],
)
def test_only_an_embedded_derby_is_of_one_process(url: str, *, is_it: bool) -> None:
    """It locks its directory; a server's clients are others, too."""
    assert is_of_one_process(url) is is_it
