"""The client on Spark's own Hive classes, without a JVM."""

from collections.abc import Iterator
from contextlib import contextmanager
from unittest.mock import Mock

import pytest
from thrift.Thrift import TType
from thrift.transport.TTransport import TTransportException

from ctas_spark.metastore import connections
from ctas_spark.metastore.connections import InJvmMetastore
from ctas_spark.wire import Field, Struct, sequence, words
from fakes.thrift_tables import NAME, table


def test_sparks_hive_classes_are_sent_no_capability(monkeypatch: pytest.MonkeyPatch) -> None:
    """They would lose it, and those of Hive 2.3.9 would break the connection over it."""
    asked: list[Struct] = []
    results = {
        "get_table_req": Struct({1: Field(TType.STRUCT, table("staged"))}),
        "get_table_objects_by_name_req": Struct({1: sequence(TType.STRUCT)}),
    }

    def call(method: str, arguments: Struct) -> Struct:
        asked.append(arguments.struct(1))
        return Struct({0: Field(TType.STRUCT, results[method])})

    connection = Mock(is_open=True, call=call)
    monkeypatch.setattr(connections, "jvm", Mock())
    monkeypatch.setattr(connections, "InJvmConnection", Mock(return_value=connection))
    client = InJvmMetastore(Mock())
    client.get_table(NAME)
    client.entries([NAME])
    assert [sorted(request.fields) for request in asked] == [[1, 2], [1, 2]]


def test_a_server_that_breaks_over_locks_leaves_no_error_in_the_log(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It has no lock tables, as by default, and the processor in this JVM would log its stack."""
    silenced: list[str] = []
    asked: list[tuple[str, list[str]]] = []

    @contextmanager
    def quiet(_packages: object, logger: str) -> Iterator[None]:
        silenced.append(logger)
        yield
        silenced.remove(logger)

    def call(method: str, _arguments: Struct) -> Struct:
        asked.append((method, [*silenced]))
        if method == "lock":
            raise TTransportException(message="Internal error processing lock")
        return Struct({0: words("default")})

    monkeypatch.setattr(connections, "jvm", Mock(quiet=quiet))
    connection = Mock(is_open=True, call=call)
    monkeypatch.setattr(connections, "InJvmConnection", Mock(return_value=connection))
    assert not InJvmMetastore(Mock()).supports_locks()
    of_locks = [loggers for method, loggers in asked if method == "lock"]
    assert of_locks
    assert all(one == ["org.apache.thrift.ProcessFunction"] for one in of_locks)
