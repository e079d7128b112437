"""A key distribution center and the servers that trust it; skipped where there can be none."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from ctas_spark.engines.thrift.channel import KERBEROS, Access, Login
from ctas_spark.errors import MetastoreError
from ctas_spark.metastore.connections import ThriftMetastore
from servers.kdc import NAME, Kdc, missing, running_kdc
from servers.kerberized import SERVICE, kerberized_metastore, kerberized_spark

USER = "ann"
BY_TICKET = Access(Login(KERBEROS, kerberos_service_name=SERVICE))


@pytest.fixture(scope="session")
def kdc(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kdc]:
    """Everything in this process asks it."""
    if packages := missing():
        pytest.skip(f"not installed: {packages}")
    with running_kdc(tmp_path_factory.mktemp("kdc")) as running, pytest.MonkeyPatch.context() as of:
        for name, value in running.variables.items():
            of.setenv(name, value)
        yield running


@pytest.fixture(scope="session")
def keytab(kdc: Kdc) -> Path:
    """The keys of the user."""
    return kdc.keytab(USER)


@pytest.fixture(scope="session")
def services(kdc: Kdc) -> Path:
    """The keys of the servers."""
    return kdc.keytab(f"{SERVICE}/{NAME}", f"HTTP/{NAME}")


@pytest.fixture(scope="session")
def spark(
    kdc: Kdc, services: Path, metastore: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Mapping[str, Mapping[str, object]]]:
    """Profiles that lead to Spark's Thrift server, over a socket and over HTTP."""
    directory = tmp_path_factory.mktemp("spark")
    with kerberized_spark(directory, kdc, services, metastore) as profiles:
        yield profiles


@pytest.fixture(scope="session")
def metastore(
    kdc: Kdc, services: Path, keytab: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The URI of one that encrypts what it says, too."""
    cache = kdc.ticket(USER, keytab)

    def answers(uri: str) -> bool:
        with pytest.MonkeyPatch.context() as of:
            of.setenv("KRB5CCNAME", str(cache))
            try:
                return "default" in ThriftMetastore(uri, access=BY_TICKET).databases()
            except MetastoreError:
                return False

    directory = tmp_path_factory.mktemp("metastore")
    with kerberized_metastore(directory, kdc, services, answers) as uri:
        yield uri


@pytest.fixture
def ticket(kdc: Kdc, keytab: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's, in use."""
    cache = kdc.ticket(USER, keytab)
    monkeypatch.setenv("KRB5CCNAME", str(cache))
    return cache


@pytest.fixture(params=["none", "expired"])
def no_ticket(
    kdc: Kdc, keytab: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> str:
    """None in use, or an old one; and a word of what Kerberos says of that."""
    if request.param == "none":
        monkeypatch.setenv("KRB5CCNAME", str(kdc.directory / "nowhere"))
        return "Kerberos: No Kerberos credentials available"
    monkeypatch.setenv("KRB5CCNAME", str(kdc.expired_ticket(USER, keytab)))
    return "expired"
