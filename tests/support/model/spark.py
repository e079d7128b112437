"""What Spark does for a run: the CTAS of a version."""

from typing import TYPE_CHECKING, Any

from ctas_spark.context import TableName
from ctas_spark.engines.protocol import WriteFigures
from ctas_spark.errors import StagingError
from ctas_spark.files.base import PARTITION_PROVIDER
from ctas_spark.metastore.client import EntryChange, Partition
from fakes.metastore import entry
from fakes.partitions import partition
from fakes.world import version_of
from model.attempts import spark_schema

if TYPE_CHECKING:
    from model.attempts import Attempt
    from model.world import ModelWorld

ROWS = "rows"


class SparkError(StagingError):
    """Spark refused a statement; a class of the product, so that its own handlers see it."""


class RunEngine:
    """The session of one run; its calls are the run's."""

    version = "4.1.4"

    def __init__(self, metastore: Any, storage: Any, world: "ModelWorld") -> None:
        self.metastore = metastore
        self.storage = storage
        self._world = world

    def sql(self, statement: str) -> None:
        """No step of the product's own runs a statement."""
        raise AssertionError(statement)

    def reads(self, file_format: str) -> bool:
        return bool(file_format)

    def refresh(self, name: TableName) -> None:
        """Nothing is cached."""

    def create_table_as(self, attempt: "Attempt") -> WriteFigures:
        """Files first, the entry next, its partitions last, as Spark does it."""
        files = paths(attempt.directory, attempt.months)
        for path in files:
            self._world.is_written(attempt.directory, path)
            self.storage.write(path, ROWS)
        made = _staged_entry(attempt)
        self.metastore.create_table(made)
        if attempt.months:
            found = partitions(attempt.directory, attempt.months)
            self.metastore.add_partitions(made.staged, found)
        return WriteFigures(files=len(files), bytes=len(files) * len(ROWS))


def _staged_entry(attempt: "Attempt") -> EntryChange:
    keys, version = attempt.staged.context.layout.partition_by, version_of(attempt.staged)
    parameters = {
        **version._staged.to_parameters(version._root),  # noqa: SLF001 (what the CTAS says)
        **({PARTITION_PROVIDER: "catalog"} if keys else {}),
        **spark_schema(attempt.columns, keys),
        "numFiles": str(len(paths(attempt.directory, attempt.months))),
    }
    made = entry(
        attempt.record,
        location=attempt.directory,
        columns=attempt.columns,
        partition_keys=keys,
        parameters=parameters,
    )
    return EntryChange(attempt.record, made, None, dict(parameters))


def paths(directory: str, months: tuple[str, ...]) -> tuple[str, ...]:
    """The files of a version."""
    if not months:
        return f"{directory}/part-0.parquet", f"{directory}/part-1.parquet"
    return tuple(f"{directory}/month={month}/part-0.parquet" for month in months)


def partitions(directory: str, months: tuple[str, ...]) -> tuple[Partition, ...]:
    """The partitions of a version."""
    return tuple(partition(f"{directory}/month={month}", month) for month in months)
