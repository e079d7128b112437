"""What a run does on a cluster, with its driver started by spark-submit, and by dbt itself."""

import signal

import pyspark
import pytest

from cluster.place import ClusterPlace
from faults.surplus import Surplus

FAILS = "raise_error('no row') is null"
EMBEDDED = "spark.hadoop.javax.jdo.option.ConnectionURL"
TWICE = [(number, 2 * number) for number in range(20)]


def test_a_file_that_spark_submit_runs_builds_on_its_cluster(place: ClusterPlace) -> None:
    """What spark-submit was given, as arguments and in a file, is used.

    Both executors work, and Python's functions run there. A model is built and rebuilt; one that
    fails in a task leaves the last version, and nothing else stays behind.
    """
    runs = [
        place.command("debug"),
        place.command("build", v=1),
        place.command("build", v=2),
        place.command("run", "--select=numbered", v=3, where=FAILS),
    ]
    with place.submitted(runs, spark_sql_ansi_enabled="true", spark_scheduler_mode="FIFO") as run:
        report = place.report(run)
    assert [one["success"] for one in report["runs"]] == [True, True, True, False], report
    said, log = report["runs"][0]["log"], "\n".join(one["log"] for one in report["runs"])
    assert f"Using the Spark {pyspark.__version__} of spark-submit, on {place.cluster.url}" in said
    assert f"master: {place.cluster.url} (spark-submit)" in said
    assert "deploy mode: client (spark-submit)" in said
    assert f"Hive, remote at {place.metastore.uri} (spark-submit)" in said
    warehouse = f"file:{place.metastore.warehouse}"
    assert f"warehouse: {warehouse} (spark-submit)" in said
    assert "atomicity: up to isolated, conflict check cas" in said
    assert f"the warehouse {warehouse} (spark-submit) is a local directory" in log
    assert "its log is" not in log
    assert report["ansi"] == "true"
    assert report["conf"]["spark.scheduler.mode"] == "FIFO"
    assert EMBEDDED not in report["conf"]
    assert all(report["executors"][one]["completed"] for one in ("0", "1"))
    assert "no row" in report["runs"][3]["log"]
    assert place.numbered.number() == 2
    assert place.scores() == TWICE
    assert str(place.numbered.outside.directory("numbered")).startswith(
        str(place.metastore.warehouse)
    )
    assert place.left() == Surplus()


@pytest.mark.long
def test_ctrl_c_ends_a_run_whose_spark_the_variable_places(
    place: ClusterPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """PYSPARK_SUBMIT_ARGS names the cluster; the tasks on it end, and nothing of the run stays."""
    select = ("run", "--select=numbered")
    with place.in_client_mode(monkeypatch, *select, v=1, ms=15_000) as run:
        run.wait_until(place.numbered.is_in_a_task, "a task")
        run.send(signal.SIGINT)
        assert run.ended() != 0
    said = run.log.read_text()
    assert "its log is" in said
    assert "numbered" not in place.numbered.outside.tables()
    assert place.numbered.outside.records() == []
    assert not place.numbered.is_writing()


@pytest.mark.long
def test_a_warehouse_that_nobody_chose_is_refused(
    place: ClusterPlace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before any job: the metastore would keep a directory of the driver's as a schema's."""
    given = ["--master", place.cluster.url]
    uris = f"spark.hadoop.hive.metastore.uris={place.metastore.uri}"
    given += ["--conf", uris]
    with place.in_client_mode(monkeypatch, "run", given=given, v=1) as run:
        assert run.ended() != 0
    said = run.log.read_text()
    assert f"Spark runs on {place.cluster.url}, and new schemas would be created in" in said
    assert place.numbered.project.schema not in place.numbered.outside.every_entry()
