"""Errors of ``save_as`` advise what its caller can do."""

import pytest

from ctas_spark.context import TableName
from ctas_spark.dataframe.python_words import in_python_words
from ctas_spark.errors import StagingError
from ctas_spark.publish import messages

PURPOSES = "call create_or_replace() or create_if_not_exists()"
TARGET = TableName("shop", "orders")


def told(error: StagingError) -> StagingError:
    """The error as ``save_as`` raises it."""
    with pytest.raises(type(error)) as caught, in_python_words():
        raise error
    return caught.value


@pytest.mark.parametrize(
    ("error", "remedy"),
    [
        (
            messages.already_exists(TARGET, "it is unchanged"),
            "if another run has just created it, call it again; else drop it, or " + PURPOSES,
        ),
        (
            messages.no_such_table(TARGET, ""),
            "create it first, or call create_or_replace()",
        ),
        (
            messages.concurrent_write(TARGET, "it was dropped"),
            "call it again; it will build on what is there now",
        ),
        (
            messages.unsupported(TARGET, "", "set partition_metadata: files, or atomicity: atomic"),
            'call option("partition_metadata", "files"), or call atomicity("atomic")',
        ),
        (
            messages.unknown(TARGET, "v1", StagingError("lost")),
            "look at the table's history (history()), then call it again",
        ),
        (
            messages.unsupported(
                TARGET, "", "in a dbt profile, add formats: [x]; or set a.b: c in spark_conf"
            ),
            "set a.b: c in the session's configuration",
        ),
        (
            messages.unsupported(
                TARGET,
                "",
                "set file_format: iceberg or delta, or use method: session in the profile",
            ),
            'call using("iceberg") or using("delta"), or use a Spark session in this process',
        ),
    ],
)
def test_advice_names_methods_of_save_as(error: StagingError, remedy: str) -> None:
    """And not configs of a model, fields of a profile or run-operations."""
    assert told(error).remedy == remedy


def test_a_caller_has_no_model() -> None:
    """What happened is told of the call."""
    text = str(told(messages.concurrent_write(TARGET, "it was dropped")))
    assert "another writer changed the table since this call began: it was dropped" in text
    assert "model" not in text
