"""The client in Spark's JVM, as far as it needs no JVM."""

from typing import Any

import pytest
from pyspark.errors import IllegalArgumentException
from thrift.transport.TTransport import TTransportException

from ctas_spark.metastore.connections import InJvmConnection


class Refusing:
    """Java's packages, of which a class refuses its arguments."""

    def __getattr__(self, name: str) -> Any:
        raise IllegalArgumentException(f"{name}: URI: nowhere does not have a scheme")


def test_a_client_that_java_refuses_to_make_is_a_connection_that_is_not_there() -> None:
    """PySpark has an exception of its own for that."""
    with pytest.raises(TTransportException, match="does not have a scheme"):
        InJvmConnection(None, Refusing())
