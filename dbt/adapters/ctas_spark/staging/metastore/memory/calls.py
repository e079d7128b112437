"""Calls on Spark's in-memory catalog, which lives as long as the Spark application."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from dbt.adapters.ctas_spark.staging.context import TableName
from dbt.adapters.ctas_spark.staging.engines import jvm
from dbt.adapters.ctas_spark.staging.errors import (
    EntryExistsError,
    EntryMissingError,
    MetastoreError,
)

REFUSALS = {
    "TABLE_OR_VIEW_ALREADY_EXISTS": EntryExistsError,
    "TABLE_OR_VIEW_NOT_FOUND": EntryMissingError,
    "SCHEMA_NOT_FOUND": EntryMissingError,
}


class InMemoryCalls:
    """What every part of the client calls with; ``catalog`` is the session's own by default.

    The catalog compares nothing by itself. ``_writing`` makes a comparison and the write that
    depends on it one step for all writers of this kind: there is one catalog in a process.
    """

    _writing = threading.RLock()

    def __init__(self, spark: SparkSession, catalog: Any = None) -> None:
        self._spark = spark
        self._java = jvm.classes(spark)
        self._catalog = catalog or jvm.shared_state(spark).externalCatalog().unwrapped()
        self._keeps_case = str(spark.conf.get("spark.sql.caseSensitive")).lower() == "true"

    def _key(self, name: TableName) -> tuple[str, str]:
        """Database and table as Spark's session stores them."""
        return self._spelled(name.database), self._spelled(name.table)

    def _spelled(self, name: str) -> str:
        return name if self._keeps_case else name.lower()

    def _text(self, uri: Any) -> str:
        """A URI as Spark gives it to Hive: not escaped."""
        return str(self._java.org.apache.spark.sql.catalyst.catalog.CatalogUtils.URIToString(uri))

    def close(self) -> None:
        """There is no connection."""

    @contextmanager
    def _call(self, what: str) -> Iterator[Any]:
        try:
            yield self._catalog
        except PySparkException as error:
            kind = REFUSALS.get(str(_condition(error)), MetastoreError)
            raise kind(f"catalog call {what}: {error}") from error
        except (Py4JError, OSError) as error:
            raise MetastoreError(f"catalog call {what} failed: {error}") from error


def _condition(error: PySparkException) -> str | None:
    """The name of the error's kind; Spark 3.5 calls it its class."""
    condition = getattr(error, "getCondition", error.getErrorClass)()
    return None if condition is None else str(condition)
