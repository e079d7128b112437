"""What leads to a metastore that is not as the profile says, and to one that speaks TLS."""

import itertools
from collections.abc import Iterator
from pathlib import Path

import pytest

from functional.dbt_project import Project
from long import long
from servers.answering import answering
from servers.certificates import KEYS, PASSWORD, certificate_in
from servers.metastore import USE_SSL, Metastore, running_metastore
from servers.remote import RemoteServer, spark_of_files

MODEL = "{{ config(materialized='table') }} select '{{ var('name') }}' as name"
OF_HIVE, MANAGERS = "org.apache.hadoop.hive.ql.security", "hive.security.metastore"
BY_STORAGE = {
    "hive.metastore.pre.event.listeners": f"{OF_HIVE}.authorization.AuthorizationPreEventListener",
    f"{MANAGERS}.authorization.manager": f"{OF_HIVE}.authorization."
    "StorageBasedAuthorizationProvider",
    f"{MANAGERS}.authenticator.manager": f"{OF_HIVE}.HadoopDefaultMetastoreAuthenticator",
}
"""A user may change what the permissions of its directory let that user write."""
OF_METASTORES = "spark.hadoop.hive.metastore."
HTTP = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"
TLS_ALERT = b"\x15\x03\x03\x00\x02\x02\x46"
_numbers = itertools.count(1)


def project_in(directory: Path) -> Project:
    """One model of files, in a schema of its own."""
    project = Project(directory, f"store_{next(_numbers)}", {})
    project.write({"models/model.sql": MODEL})
    return project


@pytest.mark.parametrize(
    ("answer", "more", "said"),
    [
        (HTTP, {}, "the server's answer can't be read; it probably speaks another protocol"),
        (TLS_ALERT, {}, "the server's answer can't be read; it probably speaks another protocol"),
        (HTTP, {"metastore_use_ssl": True}, "the server does not speak TLS at this port"),
        (b"", {}, "the server closed the connection without an answer"),
    ],
    ids=["http", "tls", "no_tls", "nothing"],
)
def test_a_port_of_another_protocol_is_one_readable_error(
    servers: tuple[RemoteServer, Metastore],
    tmp_path: Path,
    answer: bytes,
    more: dict[str, object],
    said: str,
) -> None:
    """The model fails before any job, and says which address is wrong."""
    project = project_in(tmp_path)
    with answering(answer) as port:
        own = {**servers[0].profile("thrift"), "metastore": f"thrift://127.0.0.1:{port}"}
        project.write_profile("ctas_spark", **own, **more)
        run = project.dbt("run", name="one")
    message = run.message("model")
    assert "[METASTORE_NOT_REACHED] the metastore of this profile does not answer" in message
    assert f"127.0.0.1:{port}: {said}" in message
    assert "left: no table was touched, and no job was started" in message
    assert "to do: check metastore in the profile" in message
    assert "Traceback" not in run.log


@pytest.fixture
def by_tls(tmp_path: Path) -> Iterator[tuple[RemoteServer, Metastore, str]]:
    """A Spark server, its metastore, and the file of the authority that signed the latter's key."""
    certificate, keys = certificate_in(tmp_path), str(tmp_path / KEYS)
    of_server = {
        USE_SSL: "true",
        "hive.metastore.keystore.path": keys,
        "hive.metastore.keystore.password": PASSWORD,
    }
    of_spark = {
        f"{OF_METASTORES}use.SSL": "true",
        f"{OF_METASTORES}truststore.path": keys,
        f"{OF_METASTORES}truststore.password": PASSWORD,
    }
    place = tmp_path / "metastore"
    with (
        running_metastore(place, tmp_path / "warehouse", of_server) as metastore,
        spark_of_files(tmp_path / "spark", metastore, of_spark) as server,
    ):
        yield server, metastore, str(certificate)


@pytest.mark.parametrize("method", [long("thrift"), long("connect")])
def test_a_metastore_by_tls_publishes(
    by_tls: tuple[RemoteServer, Metastore, str], tmp_path: Path, method: str
) -> None:
    """At `isolated`, as any other; who does not trust it is told, and nothing has changed."""
    server, metastore, certificate = by_tls
    project = project_in(tmp_path / "project")
    own = {**server.profile(method), "metastore": metastore.uri, "metastore_use_ssl": True}
    project.write_profile("ctas_spark", **own, ca_cert=certificate)
    for name in ("one", "two"):
        run = project.dbt("run", name=name)
        assert run.success, run.log
        assert run.response("model")["atomicity"] == "isolated"
    for wrong, said in (
        ({}, "the server's certificate is not trusted: self-signed certificate"),
        ({"metastore_use_ssl": False}, "it probably speaks another protocol at this port"),
    ):
        project.write_profile("ctas_spark", **{**own, **wrong})
        refused = project.dbt("run", name="three").message("model")
        assert "[METASTORE_NOT_REACHED]" in refused
        assert said in refused
    rows = server.new_session().sql(f"select name from {project.schema}.model").collect()
    assert [row["name"] for row in rows] == ["two"]


@pytest.mark.long
def test_rights_that_the_metastore_denies_are_said(tmp_path: Path) -> None:
    """``dbt debug`` tries them; a run changes nothing."""
    place = tmp_path / "metastore"
    with (
        running_metastore(place, tmp_path / "warehouse", BY_STORAGE) as metastore,
        spark_of_files(tmp_path / "spark", metastore) as server,
    ):
        project = project_in(tmp_path / "project")
        own = {**server.profile("thrift"), "metastore": metastore.uri}
        project.write_profile("ctas_spark", **own)
        assert project.dbt("run", name="one").success
        project.write_profile("ctas_spark", **{**own, "user": "eve"})
        debugged = project.dbt("debug")
        run = project.dbt("run", name="two")
        rows = server.new_session().sql(f"select name from {project.schema}.model").collect()
    assert not debugged.success
    assert "tables can't be created and dropped in" in debugged.log
    assert "Permission denied: user=eve" in debugged.log
    assert "nothing was published" in run.message("model")
    assert [row["name"] for row in rows] == ["one"]
