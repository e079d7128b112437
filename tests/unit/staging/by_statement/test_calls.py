"""What Spark's exceptions mean: refused by name, or a fate not known."""

import pytest
from py4j.protocol import Py4JError
from pyspark.errors import AnalysisException, PySparkException, SparkUpgradeException

from dbt.adapters.ctas_spark.staging.by_statement.calls import NamespaceMissingError, core_errors
from dbt.adapters.ctas_spark.staging.errors import (
    EntryExistsError,
    EntryMissingError,
    EntryModifiedError,
    MetastoreError,
    RefusedError,
)


class Failed(SparkUpgradeException):
    """An error that Spark names."""

    name = ""

    def getCondition(self) -> str:  # noqa: N802 (PySpark's)
        return self.name

    def getErrorClass(self) -> str:  # noqa: N802 (PySpark 3.5's)
        return self.name


def named(name: str) -> PySparkException:
    """An error with that name."""
    error = Failed("words")
    error.name = name
    return error


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (named("TABLE_OR_VIEW_ALREADY_EXISTS"), EntryExistsError),
        (named("TABLE_OR_VIEW_NOT_FOUND"), EntryMissingError),
        (named("SCHEMA_NOT_FOUND"), NamespaceMissingError),
        (named("TASK_WRITE_FAILED"), RefusedError),
        (AnalysisException("unknown column"), RefusedError),
        (PySparkException("Job aborted due to stage failure: no\n\tat x.Y"), RefusedError),
        (named("DELTA_CONCURRENT_APPEND"), EntryModifiedError),
        (named("DELTA_METADATA_CHANGED"), EntryModifiedError),
        (PySparkException("(org.apache.iceberg.x.CommitFailedException) no"), EntryModifiedError),
        (
            PySparkException("[A] no\n\tat org.apache.spark.executor.Executor$Task.run"),
            RefusedError,
        ),
        (PySparkException("<_MultiThreadedRendezvous of RPC: UNAVAILABLE"), MetastoreError),
        (named("OPERATION_CANCELED"), MetastoreError),
        (named("SOMETHING_ELSE"), MetastoreError),
        (Py4JError("connection lost"), MetastoreError),
        (OSError("broken pipe"), MetastoreError),
    ],
)
def test_only_what_is_known_to_have_done_nothing_is_refused(
    error: Exception, kind: type[MetastoreError]
) -> None:
    """Whatever else ends a call, it may have had its effect."""
    with (
        pytest.raises(MetastoreError, match="could not publish t: ") as caught,
        core_errors("publish t"),
    ):
        raise error
    assert type(caught.value) is kind
