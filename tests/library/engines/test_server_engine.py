"""What a server is asked of its formats."""

from typing import Any

import pytest
from pyspark.errors import AnalysisException, PySparkException
from pyspark.errors.exceptions.connect import SparkConnectGrpcException

from ctas_spark.engines.remote import ServerEngine


class Session:
    """It fails each statement."""

    version = "4.1.4"

    def __init__(self, error: Exception) -> None:
        self.error = error

    def sql(self, _statement: str) -> Any:
        raise self.error


@pytest.mark.parametrize(
    ("said", "has_it"),
    [
        ("[PATH_NOT_FOUND] Path does not exist: /no/such/directory", True),
        ("[UNSUPPORTED_DATASOURCE_FOR_DIRECT_QUERY] Unsupported data source type", False),
    ],
)
def test_a_format_is_there_if_its_source_looks_for_the_path(said: str, *, has_it: bool) -> None:
    """The server's words of a path that is not there."""
    assert ServerEngine(Session(AnalysisException(said))).reads("avro") is has_it


def test_a_lost_answer_says_nothing_of_a_format() -> None:
    """The user would be told to add its jar."""
    lost = SparkConnectGrpcException("status = StatusCode.UNAVAILABLE")
    with pytest.raises(PySparkException, match="UNAVAILABLE"):
        ServerEngine(Session(lost)).reads("avro")
