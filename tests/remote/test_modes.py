"""Spark's Thrift server in the modes that users have: over HTTP and TLS, and with passwords."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from contract_clients.relay import Relay
from ctas_spark.engines.thrift import session
from dbt.adapters.ctas_spark.credentials import THRIFT
from long import long
from remote.place import Place
from servers.certificates import PASSWORD, certificate_in

OVER_THRIFT = pytest.mark.parametrize("place", [THRIFT], indirect=True)
WRONG = "open barley"
KEEP, IDLE = 2.0, 7.0
"""Seconds; those of a balancer are a minute. A server holds an answer back for up to five."""


def told(place: Place, mode: str, **wrong: object) -> str:
    """What dbt debug says of a profile that is wrong in one field."""
    place.write_profile(**{**place.server.modes[mode].profile, **wrong, "connect_retries": 0})
    found = place.project.dbt("debug")
    log = found.log + (place.project.directory / "logs" / "dbt.log").read_text()
    assert not found.success
    assert PASSWORD not in log
    assert WRONG not in log
    said = [line for line in found.log.splitlines() if "of this profile does not answer" in line]
    assert said, found.log
    assert "Traceback" not in found.log
    assert "\tat " not in found.log
    return said[0]


@OVER_THRIFT
@pytest.mark.parametrize("mode", [long("tls"), long("http"), "https", long("nosasl")])
def test_a_model_is_published_in_each_mode(place: Place, mode: str) -> None:
    """TLS with LDAP, HTTP, both with a check of the server's own, and without SASL."""
    place.write_profile(**place.server.modes[mode].profile)
    run = place.project.dbt("run", "--select", "ice", name=mode)
    assert run.success, run.log
    assert place.rows(f"select distinct name from {place.table('ice')}") == [(mode,)]


@OVER_THRIFT
@pytest.mark.parametrize("mode", ["tls", "http", "nosasl"])
def test_dbt_debug_connects_in_each_mode(place: Place, mode: str) -> None:
    """It is told by which server."""
    place.write_profile(**place.server.modes[mode].profile)
    found = place.project.dbt("debug")
    assert found.success, found.log
    assert "(Thrift)" in found.log


@OVER_THRIFT
@pytest.mark.parametrize("mode", ["", long("http")])
def test_servers_behind_a_balancer_take_turns(place: Place, mode: str) -> None:
    """Each connection leads to the server that has the run's session, in the end."""
    of_modes = {name: one.profile for name, one in place.server.modes.items()}
    modes = {"": {"port": place.server.thrift_port}, **of_modes}
    other = f"other_{mode}".rstrip("_")
    relay = Relay(*(int(str(modes[one]["port"])) for one in (mode, other)))
    try:
        place.write_profile(**{**modes[mode], "port": relay.port})
        place.project.build(name="balanced")
    finally:
        relay.cut()
    assert place.names() == [("balanced", 3), ("balanced", 3)]
    assert min(relay.taken.values()) >= 2


@pytest.mark.long
@OVER_THRIFT
@pytest.mark.parametrize("signs", [True, False])
def test_a_balancer_that_ends_idle_connections_ends_no_session(
    place: Place, monkeypatch: pytest.MonkeyPatch, *, signs: bool
) -> None:
    """While statements run for longer than that; without signs of life it would."""
    monkeypatch.setattr(session, "KEEP_SECONDS", KEEP if signs else 10 * IDLE)
    relay = Relay(place.server.thrift_port, idle_seconds=IDLE)
    try:
        place.write_profile(port=relay.port, connect_retries=0)
        run = place.project.dbt("run", name="slow", ms=6_000)
    finally:
        relay.cut()
    assert run.success is signs, run.log
    if signs:
        assert place.names() == [("slow", 3), ("slow", 3)]


@OVER_THRIFT
@pytest.mark.parametrize(
    ("mode", "wrong", "said"),
    [
        ("tls", {"password": WRONG}, "the server refused the login: Error validating the login"),
        ("tls", {"ca_cert": None}, "the server's certificate is not trusted: self-signed"),
        ("tls", {"use_ssl": False, "ca_cert": None}, "the server speaks another protocol"),
        ("tls", {"use_http_transport": True}, "no connection to"),
        ("https", {"password": WRONG}, "the server refused the login: HTTP 401"),
        ("https", {"ca_cert": None}, "the server's certificate is not trusted: self-signed"),
        ("https", {"http_path": "nowhere"}, "no HiveServer2 is at the path /nowhere: HTTP 40"),
        ("https", {"use_ssl": False, "ca_cert": None}, "the server speaks another protocol"),
        ("http", {"use_http_transport": False}, "the server speaks another protocol"),
        ("http", {"use_ssl": True}, "the server does not speak TLS at this port"),
        ("http", {"auth": "NOSASL", "use_http_transport": False}, "did not answer OpenSession"),
        ("nosasl", {"auth": "NONE", "user": "ann"}, "the server closed the connection without"),
    ],
)
def test_a_wrong_profile_is_one_readable_error(
    place: Place, mode: str, wrong: Mapping[str, object], said: str
) -> None:
    """Within the connection's time, without a stack, and without the password."""
    assert said in told(place, mode, **wrong)


@OVER_THRIFT
@pytest.mark.parametrize("mode", ["tls", "https"])
def test_a_server_that_another_authority_vouches_for_is_not_trusted(
    place: Place, tmp_path: Path, mode: str
) -> None:
    """The profile's authorities are the only ones."""
    another = certificate_in(tmp_path)
    said = told(place, mode, ca_cert=str(another))
    assert "the server's certificate is not trusted: self-signed" in said
