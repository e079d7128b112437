"""What a statement returns over Thrift is what it returns over Spark Connect."""

from collections.abc import Iterator

import pytest

from ctas_spark.engines.thrift import ThriftServer
from ctas_spark.engines.thrift.line import Line
from ctas_spark.engines.thrift.results import ServerError
from ctas_spark.engines.thrift.session import ThriftSession
from servers.remote import HOST, RemoteServer

VALUES = """
select true as bool, 1Y as tiny, 2S as small, 3 as normal, 4L as big, 0.5f as single,
  2.5d as double, 1.50BD as exact, date'2026-01-02' as day,
  timestamp'2026-01-02 03:04:05.6' as moment, timestamp_ntz'2026-01-02 03:04:05' as clock,
  'it''s "x"' as text, binary('x') as bytes, null as nothing
union all
select null, null, null, null, null, null, null, null, null, null, null, null, null, null
"""
NESTED = """
select array(1) as a, map('k', named_struct('d', 1.50BD)) as m,
  named_struct('t', current_date()) as s, cast('x' as varchar(3)) as v
"""


@pytest.fixture
def thrift(server: RemoteServer) -> Iterator[ThriftSession]:
    """A session over Thrift."""
    session = ThriftSession(lambda: Line(ThriftServer(HOST, server.thrift_port)))
    yield session
    session.stop()


def test_values_and_types_are_the_same(server: RemoteServer, thrift: ThriftSession) -> None:
    """But for what is nested, whose values are texts."""
    connect = server.new_session()
    try:
        assert thrift.version == connect.version
        for query in (VALUES, NESTED):
            over_thrift, over_connect = thrift.sql(query), connect.sql(query)
            types = [field.dataType.simpleString() for field in over_thrift.schema.fields]
            assert types == [field.dataType.simpleString() for field in over_connect.schema.fields]
        assert thrift.sql(VALUES).collect() == connect.sql(VALUES).collect()
        assert thrift.sql(NESTED).collect()[0]["a"] == "[1]"
    finally:
        connect.stop()


def test_settings_are_the_sessions_own(thrift: ThriftSession) -> None:
    """Whatever stands in them."""
    thrift.conf.set("spark.sql.session.timeZone", "UTC")
    assert thrift.conf.get("spark.sql.session.timeZone") == "UTC"
    thrift.conf.set("spark.some.text", "a b; `c` = 'd'")
    assert thrift.conf.get("spark.some.text") == "a b; `c` = 'd'"
    assert thrift.conf.get("spark.no.such", "none") == "none"
    with pytest.raises(ServerError) as caught:
        thrift.conf.set("spark.sql.warehouse.dir", "x")
    assert caught.value.getCondition().startswith("CANNOT_MODIFY")
