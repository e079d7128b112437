"""What Spark does for a run: the CTAS of a version, MSCK REPAIR TABLE."""

import re
from typing import TYPE_CHECKING, Any

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.errors import StagingError
from dbt.adapters.ctas_spark.staging.files.publication import PARTITION_PROVIDER
from dbt.adapters.ctas_spark.staging.metastore.client import EntryChange, Partition
from fakes.metastore import entry
from fakes.partitions import partition

if TYPE_CHECKING:
    from model.attempts import Attempt
    from model.world import ModelWorld

REPAIR = re.compile(r"MSCK REPAIR TABLE `(?P<database>[^`]+)`\.`(?P<table>[^`]+)`")
PROPERTY = re.compile(r"'(?P<key>ctas_spark_\w+)' = '(?P<value>[^']*)'")


class SparkError(StagingError):
    """Spark refused a statement; a class of the product, so that its own handlers see it."""


class RunEngine:
    """The session of one run; its calls are the run's."""

    def __init__(self, metastore: Any, storage: Any, world: "ModelWorld") -> None:
        self.metastore = metastore
        self.storage = storage
        self._world = world

    def sql(self, statement: str) -> None:
        """MSCK REPAIR TABLE, which is all that the product asks for."""
        found = REPAIR.fullmatch(statement)
        assert found, statement
        name = TableName(found["database"], found["table"])
        there = self.metastore.get_table(name)
        if there is None:
            raise SparkError(f"{name} does not exist")
        self.metastore.add_partitions(name, self._world.partitions_below(there.location))

    def reads(self, file_format: str) -> bool:
        return bool(file_format)

    def refresh(self, name: TableName) -> None:
        """Nothing is cached."""

    def create_table_as(self, attempt: "Attempt", statement: str) -> None:
        """Files first, the entry next, its partitions last, as Spark does it."""
        staged = attempt.staged
        directory = staged.root.version(staged.version)
        for path in paths(directory, attempt.months):
            self._world.is_written(directory, path)
            self.storage.write(path, "rows")
        tracked = {PARTITION_PROVIDER: "catalog"} if attempt.months else {}
        parameters = {**dict(PROPERTY.findall(statement)), **tracked}
        made = entry(
            staged.record,
            location=directory,
            columns=attempt.columns,
            partition_keys=staged.context.layout.partition_by,
            parameters={**parameters, "spark.sql.sources.provider": "parquet"},
        )
        self.metastore.create_table(EntryChange(staged.record, made, None, dict(made.parameters)))
        if attempt.months:
            self.metastore.add_partitions(staged.record, partitions(directory, attempt.months))


def paths(directory: str, months: tuple[str, ...]) -> tuple[str, ...]:
    """The files of a version."""
    if not months:
        return f"{directory}/part-0.parquet", f"{directory}/part-1.parquet"
    return tuple(f"{directory}/month={month}/part-0.parquet" for month in months)


def partitions(directory: str, months: tuple[str, ...]) -> tuple[Partition, ...]:
    """The partitions of a version."""
    return tuple(partition(f"{directory}/month={month}", month) for month in months)
