"""OpenLineage's events, as its own client writes them."""

import json
from pathlib import Path
from typing import Any

import pytest

from ctas_spark.hooks import Column, Dataset, Failure, JobState
from ctas_spark.hooks.openlineage import OpenLineage
from fakes.hooks import EVENT

READ = Dataset(("spark_catalog", "shop", "raw"), (Column("id", "int"),), "v0")


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file to which a client's own configuration sends the events."""
    file = tmp_path / "events.jsonl"
    for name, value in (("TYPE", "file"), ("LOG_FILE_PATH", str(file)), ("APPEND", "true")):
        monkeypatch.setenv(f"OPENLINEAGE__TRANSPORT__{name}", value)
    return file


def sent(file: Path) -> list[Any]:
    """The events in the file."""
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_a_publication_is_a_run_with_its_tables(file: Path) -> None:
    """START, then COMPLETE with schema, version and statistics of what was written."""
    hook = OpenLineage(namespace="nightly", dataset_namespace="hive://metastore:9083")
    begun = EVENT.turned(JobState.CREATED, inputs=(READ,))
    columns = (Column("id", "bigint"), Column("at", "timestamp"))
    ended = begun.turned(
        JobState.FINISHED, columns=columns, version="v1", rows=5, bytes=50, files=2
    )
    hook.on_created(begun)
    hook.on_finished(ended)
    start, complete = sent(file)
    assert (start["eventType"], complete["eventType"]) == ("START", "COMPLETE")
    for event in (start, complete):
        assert event["run"]["runId"] == EVENT.publication
        assert (event["job"]["namespace"], event["job"]["name"]) == ("nightly", "model.shop.orders")
        (source,), (target,) = event["inputs"], event["outputs"]
        assert (source["namespace"], source["name"]) == ("hive://metastore:9083", "shop.raw")
        assert source["facets"]["version"]["datasetVersion"] == "v0"
        assert target["name"] == "shop.orders"
    facets = complete["outputs"][0]["facets"]
    shown = [(field["name"], field["type"]) for field in facets["schema"]["fields"]]
    assert shown == [("id", "bigint"), ("at", "timestamp")]
    assert facets["version"]["datasetVersion"] == "v1"
    counted = complete["outputs"][0]["outputFacets"]["outputStatistics"]
    assert (counted["rowCount"], counted["size"], counted["fileCount"]) == (5, 50, 2)


@pytest.mark.parametrize(("end", "sent_as"), [("failed", "FAIL"), ("canceled", "ABORT")])
def test_a_run_that_never_began_has_a_start_all_the_same(
    file: Path, end: str, sent_as: str
) -> None:
    """OpenLineage asks for one; the error is on the end alone."""
    event = EVENT.turned(JobState(end), error=Failure("CONCURRENT_WRITE", "another was first"))
    getattr(OpenLineage(), f"on_{end}")(event)
    start, failed = sent(file)
    assert (start["eventType"], failed["eventType"]) == ("START", sent_as)
    assert "errorMessage" not in start["run"].get("facets", {})
    message = failed["run"]["facets"]["errorMessage"]["message"]
    assert message == "[CONCURRENT_WRITE] another was first"


def test_the_namespace_of_jobs_may_be_a_variable(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one that OpenLineage's other producers read; without it the namespace is dbt."""
    monkeypatch.delenv("OPENLINEAGE_NAMESPACE", raising=False)
    OpenLineage().on_created(EVENT)
    monkeypatch.setenv("OPENLINEAGE_NAMESPACE", "shop")
    OpenLineage().on_created(EVENT)
    assert [event["job"]["namespace"] for event in sent(file)] == ["dbt", "shop"]
