"""What every place has whose tables are plain files and an entry in a metastore."""

from collections.abc import Iterable, Sequence

from contract.places import Run
from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.files.staged_file_table import StagedFileTable
from dbt.adapters.ctas_spark.staging.metastore.client import MetastoreClient
from dbt.adapters.ctas_spark.staging.publish.protocol import StagedTable
from dbt.adapters.ctas_spark.staging.storage.client import Storage

MUTATIONS = (
    "create_table",
    "alter_table",
    "rename_table",
    "drop_entry",
    "add_partitions",
    "drop_partitions",
)


def calls(run: Run) -> Sequence[tuple[object, str]]:
    """All calls of the metastore's client that change something."""
    return [(run.metastore, name) for name in MUTATIONS]


def left_beside(live: StagedTable, storage: Storage, records: Iterable[str]) -> list[str]:
    """Versions and records of the target, without the live one's own."""
    assert isinstance(live, StagedFileTable)
    versions = [name for name in storage.children(str(live.root)) if name != live.version]
    own = [name for name in records if name.startswith(f"{live.target.table}__")]
    return [*versions, *(name for name in own if name != live.record.table)]


def forget(
    target: TableName, metastore: MetastoreClient, records: Iterable[str], staging_schema: str
) -> None:
    """Drop the target's entry, and those of its versions."""
    own = (name for name in records if name.startswith(f"{target.table}__"))
    for name in (target, *(TableName(staging_schema, record) for record in own)):
        if metastore.get_table(name) is not None:
            metastore.drop_entry(name)


def directory_of(staged: StagedTable) -> str:
    """Where a version lies."""
    assert isinstance(staged, StagedFileTable)
    return staged.root.version(staged.version)
