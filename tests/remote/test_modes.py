"""Spark's Thrift server in the modes that users have: over HTTP and TLS, and with passwords."""

from collections.abc import Mapping

import pytest

from dbt.adapters.ctas_spark.credentials import THRIFT
from remote.place import Place
from servers.certificates import PASSWORD

OVER_THRIFT = pytest.mark.parametrize("place", [THRIFT], indirect=True)
WRONG = "open barley"


def told(place: Place, mode: str, **wrong: object) -> str:
    """What dbt debug says of a profile that is wrong in one field."""
    place.write_profile(**{**place.server.modes[mode].profile, **wrong, "connect_timeout": 5})
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
def test_models_are_published_in_each_mode(place: Place) -> None:
    """TLS with LDAP, HTTP, both with a check of the server's own, and without SASL."""
    for name, mode in place.server.modes.items():
        place.write_profile(
            **mode.profile, server_side_parameters={"spark.sql.shuffle.partitions": "3"}
        )
        place.project.build(name=name)
        assert place.names() == [(name, 3), (name, 3)]


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
