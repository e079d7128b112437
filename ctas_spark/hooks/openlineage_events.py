"""OpenLineage's event for one of ours; importing its client takes as long as a small model."""

from typing import Any

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
from .event import Column, JobState, PublicationEvent

PRODUCER = "https://pypi.org/project/dbt-ctas-spark"
OF_A_MODEL: dict[str, JobFacet] = {"jobType": job_type_job.JobTypeJobFacet("BATCH", "DBT", "MODEL")}
STATES = {
    JobState.CREATED: RunState.START,
    JobState.FINISHED: RunState.COMPLETE,
    JobState.FAILED: RunState.FAIL,
    JobState.CANCELED: RunState.ABORT,
}


def run_event(event: PublicationEvent, namespace: str, tables: str) -> RunEvent:
    """The event of a run of the node; ``tables`` is the namespace of datasets."""
    return RunEvent(
        eventType=STATES[event.state],
        eventTime=event.at.isoformat(timespec="milliseconds"),
        run=Run(event.publication, _of_run(event)),
        job=Job(namespace, event.node_id, OF_A_MODEL),
        producer=PRODUCER,
        inputs=[
            InputDataset(tables, _name(one.path), facets=_of_dataset(one.columns, one.version))
            for one in event.inputs
        ],
        outputs=[_output(event, tables)],
    )


def _output(event: PublicationEvent, tables: str) -> OutputDataset:
    facets: dict[str, Any] = {}
    if event.rows is not None or event.bytes is not None or event.files is not None:
        facets["outputStatistics"] = (
            output_statistics_output_dataset.OutputStatisticsOutputDatasetFacet(
                rowCount=event.rows, size=event.bytes, fileCount=event.files
            )
        )
    shown = _of_dataset(event.columns, event.version)
    return OutputDataset(tables, _name(event.path), facets=shown, outputFacets=facets)


def _name(path: tuple[str, str, str]) -> str:
    """The table's path; in the session's catalog schema and table, as Hive's tables are named."""
    catalog, schema, table = path
    return str(TableName(schema, table, catalog))


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
