"""What Spark's exceptions mean: refused by name, or a fate not known."""

import pytest
from py4j.protocol import Py4JError
from pyspark.errors import AnalysisException, PySparkException

from ctas_spark.engines.calls import NamespaceMissingError, condition, core_errors
from ctas_spark.engines.thrift import results
from ctas_spark.engines.thrift.results import LostAnswerError
from ctas_spark.errors import (
    EntryExistsError,
    EntryMissingError,
    EntryModifiedError,
    MetastoreError,
    RefusedError,
)
from fakes.sql_catalog import named


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
        (AnalysisException("TTransportException: SocketTimeoutException"), MetastoreError),
        (
            PySparkException(
                "Job aborted due to stage failure: SocketException: Connection reset\n\tat S3.read"
            ),
            RefusedError,
        ),
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


def over_thrift(said: str) -> Exception:
    """The error that the status of a failed statement becomes."""
    return results.failed(
        f"org.apache.hive.service.cli.HiveSQLException: Error running query: {said}\n"
        "\tat org.apache.spark.sql.hive.thriftserver.HiveThriftServerErrors$.x(X.scala:44)\n"
        f"Caused by: {said}\n\tat org.apache.spark.Y.y(Y.scala:1)\n\t... 30 more\n"
    )


@pytest.mark.parametrize(
    ("said", "kind", "words"),
    [
        (
            (
                "[TABLE_OR_VIEW_ALREADY_EXISTS] org.apache.spark.sql.catalyst.analysis."
                "TableAlreadyExistsException: [TABLE_OR_VIEW_ALREADY_EXISTS] t is there"
            ),
            EntryExistsError,
            "[TABLE_OR_VIEW_ALREADY_EXISTS] t is there",
        ),
        (
            (
                "[TABLE_OR_VIEW_NOT_FOUND] org.apache.spark.sql.ExtendedAnalysisException: "
                "[TABLE_OR_VIEW_NOT_FOUND] t is not there"
            ),
            EntryMissingError,
            "[TABLE_OR_VIEW_NOT_FOUND] t is not there",
        ),
        (
            "[SCHEMA_NOT_FOUND] org.apache.spark.sql.X: [SCHEMA_NOT_FOUND] s is not there",
            NamespaceMissingError,
            "[SCHEMA_NOT_FOUND] s is not there",
        ),
        (
            (
                "[UNRESOLVED_COLUMN.WITH_SUGGESTION] org.apache.spark.sql.AnalysisException: "
                "[UNRESOLVED_COLUMN.WITH_SUGGESTION] no"
            ),
            RefusedError,
            "[UNRESOLVED_COLUMN.WITH_SUGGESTION] no",
        ),
        (
            "org.apache.spark.sql.catalyst.parser.ParseException: no SQL",
            RefusedError,
            "no SQL",
        ),
        (
            "org.apache.iceberg.exceptions.CommitFailedException: it moved",
            EntryModifiedError,
            "(org.apache.iceberg.exceptions.CommitFailedException) it moved",
        ),
        (
            "[DELTA_CONCURRENT_APPEND] io.delta.X: [DELTA_CONCURRENT_APPEND] another",
            EntryModifiedError,
            "[DELTA_CONCURRENT_APPEND] another",
        ),
        (
            "org.apache.spark.SparkException: Job aborted due to stage failure: x",
            RefusedError,
            "Job aborted due to stage failure: x",
        ),
        (
            "org.apache.iceberg.exceptions.CommitStateUnknownException: timed out",
            MetastoreError,
            "CommitStateUnknownException",
        ),
        ("java.lang.NullPointerException", MetastoreError, "java.lang.NullPointerException"),
    ],
)
def test_over_thrift_the_text_says_which(said: str, kind: type[MetastoreError], words: str) -> None:
    """Spark's condition or Java's class, whichever is there; frames are left out."""
    with pytest.raises(MetastoreError) as caught, core_errors("publish t"):
        raise over_thrift(said)
    assert type(caught.value) is kind
    assert words in str(caught.value)
    assert "\tat " not in str(caught.value)


@pytest.mark.parametrize(
    "error",
    [
        LostAnswerError("no answer"),
        results.ended("CANCELED_STATE"),
        results.ended("TIMEDOUT_STATE"),
        results.failed("Invalid SessionHandle: SessionHandle [1]"),
    ],
)
def test_over_thrift_no_answer_is_a_fate_not_known(error: Exception) -> None:
    """The server may have done what it was asked, or still do it."""
    with pytest.raises(MetastoreError) as caught, core_errors("publish t"):
        raise error
    assert type(caught.value) is MetastoreError


def test_a_condition_is_found_in_an_errors_words() -> None:
    """Spark Connect leaves it out of an error with a long parameter, such as a path."""
    assert condition(AnalysisException("[PATH_NOT_FOUND] Path does not exist: s3a://b/t/*")) == (
        "PATH_NOT_FOUND"
    )
    assert condition(AnalysisException("there is no [PATH_NOT_FOUND] in it")) == ""
