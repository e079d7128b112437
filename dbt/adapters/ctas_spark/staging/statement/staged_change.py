"""A change of a table that a catalog has staged, held in the JVM between its steps.

What Spark's own CTAS and RTAS do in one statement (``TableWriteExecHelper``), in single calls: so
that somebody can look between them.
"""

from enum import Enum
from functools import reduce
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from dbt.adapters.ctas_spark.staging.engines import jvm
from dbt.adapters.ctas_spark.staging.metastore.jvm import scala
from dbt.adapters.ctas_spark.staging.statement.calls import core_errors


class Stage(str, Enum):
    """What is staged: the methods of Spark's ``StagingTableCatalog``."""

    CREATE = "stageCreate"
    REPLACE = "stageReplace"
    CREATE_OR_REPLACE = "stageCreateOrReplace"


class StagedChange:
    """One staged table, to be filled by ``query`` and then committed or aborted.

    Each call raises MetastoreError or one of its subclasses.
    """

    def __init__(self, spark: SparkSession, plugin: Any, identifier: Any, query: str) -> None:
        self._spark = spark
        self._packages = jvm.classes(spark)
        self._plugin = plugin
        self._identifier = identifier
        self._frame: DataFrame = spark.sql(query)
        self._staged: Any = None

    def stage(self, how: Stage, transforms: Any, properties: Any, *, as_info: bool) -> None:
        """Ask the catalog for it; ``as_info`` is the form that Spark 4.1 calls."""
        method = getattr(self._plugin, how.value)
        if as_info:
            builder = getattr(self._connector, "TableInfo$Builder")()
            described = builder.withColumns(self._columns()).withPartitions(transforms)
            self._staged = method(self._identifier, described.withProperties(properties).build())
        else:
            self._staged = method(self._identifier, self._columns(), transforms, properties)

    def write(self) -> None:
        """Run the query's job into it."""
        with core_errors("write what was staged"):
            sql = self._packages.org.apache.spark.sql
            relation = getattr(
                getattr(sql.execution.datasources.v2, "DataSourceV2Relation$"), "MODULE$"
            ).create(
                self._staged,
                scala.some(self._packages, self._plugin),
                scala.some(self._packages, self._identifier),
            )
            append = sql.catalyst.plans.logical.AppendData.byPosition(
                relation,
                self._java.queryExecution().analyzed(),
                scala.mapping(self._packages, {}),
            )
            dataset = self._java.getClass().getName()  # classic.Dataset in Spark 4
            reduce(getattr, dataset.split("."), self._packages).ofRows(
                jvm.session(self._spark), append
            )

    def commit(self) -> None:
        """Publish it."""
        with core_errors("commit what was staged"):
            self._staged.commitStagedChanges()

    def abort(self) -> None:
        """Give it up."""
        with core_errors("abort what was staged"):
            self._staged.abortStagedChanges()

    @property
    def _java(self) -> Any:
        return self._frame._jdf  # noqa: SLF001 (PySpark has no public way to it)

    @property
    def _connector(self) -> Any:
        return self._packages.org.apache.spark.sql.connector.catalog

    def _columns(self) -> Any:
        schema = self._java.schema().asNullable()
        return self._connector.CatalogV2Util.structTypeToV2Columns(schema)
