"""What every place has whose tables are plain files and an entry in a metastore."""

from collections.abc import Iterable, Sequence
from typing import Any

from contract.places import Run
from ctas_spark.context import TableName
from ctas_spark.files.version import FileVersion
from ctas_spark.metastore.client import MetastoreClient
from ctas_spark.publish.staged_table import StagedTable
from ctas_spark.storage.client import Storage

MUTATIONS = (
    "create_table",
    "alter_table",
    "rename_table",
    "drop_entry",
    "add_partitions",
    "alter_partitions",
    "drop_partitions",
)


def version_of(staged: StagedTable[Any]) -> FileVersion:
    """The kind's own side of an attempt: its directory and its record."""
    version = staged._version  # noqa: SLF001 (the suites look behind the machine)
    assert isinstance(version, FileVersion)
    return version


def metastore_of(run: Run, staging_schema: str) -> MetastoreClient:
    """The client that a run makes its calls by."""
    return run.catalog.services(staging_schema).metastore


def calls(run: Run, staging_schema: str) -> Sequence[tuple[object, str]]:
    """All calls of the metastore's client that change something."""
    return [(metastore_of(run, staging_schema), name) for name in MUTATIONS]


def left_beside(live: StagedTable[Any], storage: Storage, records: Iterable[str]) -> list[str]:
    """Versions and records of the target, without the live one's own."""
    root = version_of(live).directory.rpartition("/")[0]
    versions = [name for name in storage.children(root) if name != live.version]
    record = version_of(live).record.table
    own = [name for name in records if name.startswith(f"{live.target.table}__")]
    return [*versions, *(name for name in own if name != record)]


def forget(
    target: TableName, metastore: MetastoreClient, records: Iterable[str], staging_schema: str
) -> None:
    """Drop the target's entry, and those of its versions."""
    own = (name for name in records if name.startswith(f"{target.table}__"))
    for name in (target, *(TableName(staging_schema, record) for record in own)):
        if metastore.get_table(name) is not None:
            metastore.drop_entry(name)
