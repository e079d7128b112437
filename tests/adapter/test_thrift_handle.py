"""dbt's use of a session over Thrift."""

from ctas_spark.engines.thrift.line import Line
from ctas_spark.engines.thrift.session import ThriftJob, ThriftSession
from dbt.adapters.ctas_spark.connections import SessionHandle
from fakes.thrift_server import Answer, FakeThriftServer


def test_a_contract_sees_whole_types(server: FakeThriftServer) -> None:
    """Where the protocol says less than the type, the server is asked for it."""
    session = ThriftSession(lambda: Line(server.address))
    columns = (("a", "ARRAY"), ("v", "VARCHAR"), ("d", "DECIMAL(10,2)"), ("t", "TIMESTAMP"))
    server.answers["select"] = Answer(columns)
    server.answers["DESCRIBE QUERY select"] = Answer(
        (("col_name", "STRING"), ("data_type", "STRING")),
        (("a", "array<int>"), ("t", "timestamp_ntz"), ("v", "string"), ("d", "decimal(10,2)")),
    )
    handle = SessionHandle(session, ThriftJob)
    handle.execute("select 1;")
    types = [("a", "array<int>"), ("v", "string"), ("d", "decimal(10,2)"), ("t", "timestamp_ntz")]
    assert [column[:2] for column in handle.description] == types
    assert handle.fetchall() == []


def test_what_is_no_query_has_the_protocols_types(server: FakeThriftServer) -> None:
    """As DESCRIBE DETAIL, which can't be described itself."""
    session = ThriftSession(lambda: Line(server.address))
    server.answers["describe detail"] = Answer((("partitions", "ARRAY"),), (("[]",),))
    server.errors["DESCRIBE QUERY"] = "no query"
    handle = SessionHandle(session, ThriftJob)
    handle.execute("describe detail t")
    assert [column[:2] for column in handle.description] == [("partitions", "array")]
    assert handle.fetchmany(5) == [("[]",)]
