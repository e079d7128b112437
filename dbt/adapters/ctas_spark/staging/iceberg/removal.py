"""Remove a fork: after its publication what only it needed, else all that it added."""

from functools import partial

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import MetastoreError
from dbt.adapters.ctas_spark.staging.iceberg.facts import TableFacts
from dbt.adapters.ctas_spark.staging.iceberg.properties import METADATA_PATH, ForkDirectories
from dbt.adapters.ctas_spark.staging.iceberg.services import IcebergServices
from dbt.adapters.ctas_spark.staging.publish.discard import empty, still_there
from dbt.adapters.ctas_spark.staging.publish.marker import VERSION
from dbt.adapters.ctas_spark.staging.steps import Step, StepReport


def forget(services: IcebergServices, record: TableName, report: StepReport) -> list[str]:
    """Remove the entry, then its metadata files: the target's point to the same snapshots.

    Never raises; what is still there, in words.
    """
    try:
        fork = services.tables.find(record)
    except MetastoreError:
        return [f"the entry {record}"]
    left = _without_entry(services, record, report)
    if left or fork is None:
        return left
    delete = services.storage.delete
    files = ((Step.DELETE_FILES, p, partial(delete, p)) for p in own_metadata_files(fork.facts))
    return still_there(report, *files)


def discard(
    services: IcebergServices, record: TableName, directories: ForkDirectories, report: StepReport
) -> list[str]:
    """Remove both directories, then the entry: it leads to them. Never raises."""
    storage = services.storage
    left = still_there(
        report,
        (Step.DELETE_FILES, directories.data, lambda: empty(storage, directories.data)),
        (Step.DELETE_FILES, directories.metadata, lambda: empty(storage, directories.metadata)),
    )
    return left or _without_entry(services, record, report)


def own_metadata_files(fork: TableFacts) -> tuple[str, ...]:
    """The metadata files that commits on the fork have written: those in its own directory."""
    folder = fork.properties.get(METADATA_PATH, "")
    if not folder.endswith(f"/{fork.properties.get(VERSION)}"):
        return ()
    log = [one["metadata-file"] for one in fork.document.get("metadata-log", ())]
    return tuple(path for path in (*log, fork.metadata_location) if path.startswith(f"{folder}/"))


def _without_entry(services: IcebergServices, record: TableName, report: StepReport) -> list[str]:
    return still_there(
        report,
        (Step.DELETE_RECORD, f"the entry {record}", lambda: services.tables.drop_entry(record)),
    )
