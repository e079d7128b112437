"""A Hive metastore that is reached by TLS."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from contract_clients.relay import Relay
from ctas_spark.engines import jvm
from ctas_spark.engines.thrift.channel import NOSASL, Access, Login, Tls
from ctas_spark.errors import MetastoreError
from ctas_spark.metastore.connections import ThriftMetastore
from ctas_spark.metastore.opening import TRUSTED, TRUSTED_PASSWORD, tls_by
from servers.certificates import KEYS, PASSWORD, certificate_in
from servers.metastore import USE_SSL, running_metastore

ANYONE = Login(NOSASL)


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the server's keys are."""
    return tmp_path_factory.mktemp("tls")


@pytest.fixture(scope="module")
def certificate(directory: Path) -> str:
    """The file of the authority that signed the server's."""
    return str(certificate_in(directory))


@pytest.fixture(scope="module")
def uri(directory: Path, certificate: str) -> Iterator[str]:
    """The server's address."""
    assert certificate
    settings = {
        USE_SSL: "true",
        "hive.metastore.keystore.path": str(directory / KEYS),
        "hive.metastore.keystore.password": PASSWORD,
    }
    with running_metastore(directory / "run", directory / "warehouse", settings) as server:
        yield server.uri


def refusal_of(uri: str, access: Access) -> str:
    """Why there is no answer."""
    with pytest.raises(MetastoreError) as caught:
        ThriftMetastore(uri, access=access).databases()
    return str(caught.value)


def test_who_trusts_it_is_answered(uri: str, certificate: str) -> None:
    """Again and again, over one connection."""
    store = ThriftMetastore(uri, user="ann", access=Access(ANYONE, Tls(certificate)))
    assert [store.databases() for _ in range(3)] == [("default",)] * 3


def test_javas_keystore_says_whom_to_trust(
    uri: str, directory: Path, session: tuple[SparkSession, Relay]
) -> None:
    """A session's own settings have that, and no file that Python can read."""
    spark, _ = session
    settings = jvm.classes(spark).org.apache.hadoop.conf.Configuration(False)
    assert tls_by(settings, jvm.classes(spark)) == Tls()
    settings.set(TRUSTED, str(directory / KEYS))
    settings.set(TRUSTED_PASSWORD, PASSWORD)
    access = Access(ANYONE, tls_by(settings, jvm.classes(spark)))
    assert ThriftMetastore(uri, access=access).databases() == ("default",)


def test_who_does_not_is_told(uri: str) -> None:
    """By this machine's authorities nobody knows it; and without TLS it is not understood."""
    said = refusal_of(uri, Access(ANYONE, Tls()))
    assert "the server's certificate is not trusted: self-signed certificate" in said
    assert "METASTORE_CALL_FAILED" in refusal_of(uri, Access(ANYONE))
