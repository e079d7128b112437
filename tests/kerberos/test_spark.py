"""Spark's Thrift server lets in who has a ticket, over sockets and over HTTP."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from ctas_spark.engines.thrift.session import SESSIONS
from ctas_spark.errors import ServerNotReachedError
from dbt.adapters.ctas_spark.credentials import CtasSparkCredentials
from servers.kdc import Kdc

Profiles = Mapping[str, Mapping[str, object]]
TRANSPORTS = ("socket", "http")


@pytest.fixture(autouse=True)
def closed() -> Iterator[None]:
    """What a test has opened."""
    yield
    SESSIONS.close()


def user_of(profile: Mapping[str, object]) -> str:
    """Whom the server takes for the session's user."""
    credentials = CtasSparkCredentials.from_dict({"schema": "s", "method": "thrift", **profile})
    session = SESSIONS.get(credentials.thrift_server, {})
    return str(session.sql("SELECT current_user() AS u").collect()[0]["u"])


def refusal_of(profile: Mapping[str, object]) -> str:
    """Why there is no session."""
    with pytest.raises(ServerNotReachedError) as caught:
        user_of(profile)
    assert "\n" not in caught.value.what
    return caught.value.what


@pytest.mark.usefixtures("ticket")
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_ticket_lets_in(spark: Profiles, transport: str) -> None:
    """As the user whom the profile names, and who is that of the ticket."""
    assert user_of({**spark[transport], "user": "ann"}) == "ann"


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_without_a_ticket_nobody_is_let_in(spark: Profiles, transport: str, no_ticket: str) -> None:
    """Kerberos' own words say why."""
    assert no_ticket in refusal_of(spark[transport])


@pytest.mark.usefixtures("ticket")
@pytest.mark.parametrize("transport", TRANSPORTS)
def test_another_service_is_not_known(spark: Profiles, transport: str) -> None:
    """As where the profile has the wrong kerberos_service_name."""
    wrong = {**spark[transport], "kerberos_service_name": "spork"}
    assert "not found in Kerberos database" in refusal_of(wrong)


@pytest.mark.parametrize(
    ("transport", "said"),
    [("socket", "Unsupported mechanism type PLAIN"), ("http", "HTTP 401")],
)
def test_a_user_alone_is_not_let_in(spark: Profiles, transport: str, said: str) -> None:
    """As where the profile has no auth."""
    wrong = {**spark[transport], "auth": "NONE", "kerberos_service_name": None}
    assert f"the server refused the login: {said}" in refusal_of(wrong)


@pytest.mark.parametrize("transport", TRANSPORTS)
def test_a_keytab_lets_in(
    spark: Profiles, transport: str, kdc: Kdc, keytab: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kerberos' own libraries take the ticket, as their variable says."""
    monkeypatch.setenv("KRB5CCNAME", str(kdc.directory / f"taken-{transport}"))
    monkeypatch.setenv("KRB5_CLIENT_KTNAME", str(keytab))
    assert user_of({**spark[transport], "user": "ann"}) == "ann"
