"""A dbt run over Spark's Thrift server, which publishes on a metastore; both want a ticket."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from functional.dbt_project import Project
from servers.kerberized import SERVICE

MODEL = "{{ config(materialized='table') }} select '{{ var('name') }}' as name"


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """One model of files."""
    made = Project(tmp_path, "secured", {})
    made.write({"models/model.sql": MODEL})
    return made


@pytest.mark.usefixtures("ticket")
@pytest.mark.parametrize("transport", ["socket", "http"])
def test_a_ticket_publishes(
    project: Project, spark: Mapping[str, Mapping[str, object]], metastore: str, transport: str
) -> None:
    """At `isolated`; and `dbt debug` says by what."""
    own = {"metastore": metastore, "metastore_kerberos_service_name": SERVICE}
    project.write_profile("ctas_spark", method="thrift", **spark[transport], **own)
    for name in ("one", "two"):
        run = project.dbt("run", name=name)
        assert run.success, run.log
        assert run.response("model")["atomicity"] == "isolated"
    shown = project.dbt("show", "--inline", "select name from {{ ref('model') }}", "--output=json")
    assert '"name": "two"' in shown.log
    found = project.dbt("debug")
    assert f"metastore: Hive, at {metastore}, over Thrift" in found.log


def test_without_a_ticket_a_model_is_one_readable_error(
    project: Project, spark: Mapping[str, Mapping[str, object]], metastore: str, no_ticket: str
) -> None:
    """Before anything is asked of the metastore."""
    own = {"metastore": metastore, "metastore_kerberos_service_name": SERVICE}
    project.write_profile("ctas_spark", method="thrift", **spark["socket"], **own)
    run = project.dbt("run", name="one")
    assert not run.success
    assert no_ticket in run.log
    assert "Traceback" not in run.log


@pytest.mark.usefixtures("ticket")
def test_a_metastore_of_another_service_is_one_readable_error(
    project: Project, spark: Mapping[str, Mapping[str, object]], metastore: str
) -> None:
    """The server lets in, and the metastore does not."""
    own = {"metastore": metastore, "metastore_kerberos_service_name": "spork"}
    project.write_profile("ctas_spark", method="thrift", **spark["socket"], **own)
    message = project.dbt("run", name="one").message("model")
    assert "[METASTORE_NOT_REACHED] the metastore of this profile does not answer" in message
    assert "not found in Kerberos database" in message
