"""A hook that sends OpenLineage's events, by the project's own client.

The client reads ``OPENLINEAGE_*`` variables and ``openlineage.yml`` by itself; they say where the
events go. Its package is the extra ``openlineage``.
"""

import os
from functools import cached_property
from typing import Any

from openlineage.client import OpenLineageClient
from openlineage.client.event_v2 import InputDataset, Job, OutputDataset, Run, RunEvent, RunState
from openlineage.client.facet_v2 import (
    JobFacet,
    RunFacet,
    dataset_version_dataset,
    error_message_run,
    job_type_job,
    output_statistics_output_dataset,
    schema_dataset,
)

from ..context import TableName
from .calls import PublicationHook
from .event import Column, Dataset, JobState, PublicationEvent

NAMESPACE_VARIABLE = "OPENLINEAGE_NAMESPACE"
PRODUCER = "https://pypi.org/project/dbt-ctas-spark"
STATES = {
    JobState.CREATED: RunState.START,
    JobState.FINISHED: RunState.COMPLETE,
    JobState.FAILED: RunState.FAIL,
    JobState.CANCELED: RunState.ABORT,
}


class OpenLineage(PublicationHook):
    """Sends START, then COMPLETE, FAIL or ABORT, for each publication.

    ``namespace`` is that of the jobs, ``dataset_namespace`` that of the tables: what other
    producers of the same tables use, such as ``hive://metastore.example.org:9083``.
    """

    def __init__(self, *, namespace: str | None = None, dataset_namespace: str = "spark") -> None:
        self._namespace = namespace or os.environ.get(NAMESPACE_VARIABLE) or "dbt"
        self._tables = dataset_namespace
        self._started: set[str] = set()

    @cached_property
    def _client(self) -> OpenLineageClient:
        return OpenLineageClient()

    def on_created(self, event: PublicationEvent) -> None:
        self._started.add(event.publication)
        self._client.emit(self._run_event(event))

    def on_finished(self, event: PublicationEvent) -> None:
        """Send the end; a run of OpenLineage needs a START before it, also if nothing began."""
        if event.publication not in self._started:
            self.on_created(event.turned(JobState.CREATED, error=None))
        self._started.discard(event.publication)
        self._client.emit(self._run_event(event))

    on_failed = on_finished
    on_canceled = on_finished

    def _run_event(self, event: PublicationEvent) -> RunEvent:
        return RunEvent(
            eventType=STATES[event.state],
            eventTime=event.at.isoformat(timespec="milliseconds"),
            run=Run(event.publication, _of_run(event)),
            job=Job(self._namespace, event.node_id, _of_job()),
            producer=PRODUCER,
            inputs=[self._input(one) for one in event.inputs],
            outputs=[self._output(event)],
        )

    def _input(self, read: Dataset) -> InputDataset:
        facets = _of_dataset(read.columns, read.version)
        return InputDataset(self._tables, _name(read.path), facets=facets)

    def _output(self, event: PublicationEvent) -> OutputDataset:
        facets: dict[str, Any] = {}
        if event.rows is not None or event.bytes is not None or event.files is not None:
            facets["outputStatistics"] = (
                output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet(
                    rowCount=event.rows, size=event.bytes, fileCount=event.files
                )
            )
        facets_of_table = _of_dataset(event.columns, event.version)
        return OutputDataset(
            self._tables, _name(event.path), facets=facets_of_table, outputFacets=facets
        )


def _name(path: tuple[str, str, str]) -> str:
    """The table's path; in the session's catalog schema and table, as Hive's tables are named."""
    catalog, schema, table = path
    return str(TableName(schema, table, catalog))


def _of_job() -> dict[str, JobFacet]:
    return {"jobType": job_type_job.JobTypeJobFacet("BATCH", "DBT", "MODEL")}


def _of_run(event: PublicationEvent) -> dict[str, RunFacet]:
    if event.error is None:
        return {}
    said = f"[{event.error.name}] {event.error.message}"
    return {"errorMessage": error_message_run.ErrorMessageRunFacet(said, "SQL")}


def _of_dataset(columns: tuple[Column, ...], version: str | None) -> dict[str, Any]:
    facets: dict[str, Any] = {}
    if columns:
        fields = [schema_dataset.SchemaDatasetFacetFields(one.name, one.type) for one in columns]
        facets["schema"] = schema_dataset.SchemaDatasetFacet(fields=fields)
    if version is not None:
        facets["version"] = dataset_version_dataset.DatasetVersionDatasetFacet(version)
    return facets
