"""The entries by which the client has a server delete directories."""

import pytest
from thrift.Thrift import TType

from ctas_spark.context import TableName
from ctas_spark.errors import MetastoreError
from ctas_spark.metastore import messages
from ctas_spark.metastore.connections import ThriftMetastore
from ctas_spark.wire import Struct, sequence, strings, words
from fakes.scripted_server import HangUpError, ScriptedServer, answering, returned

CREATE = "create_table_with_environment_context"
DROP = "drop_table_with_environment_context"
SCRATCH = TableName("shop__ctas_spark", "ctas_spark_deletes_1")


def scratch_entry(since: str) -> Struct:
    """An entry by which a directory was to be deleted."""
    made = messages.scratch_table(SCRATCH, "s3a://b/v", 0)
    return made.replaced({messages.PARAMETERS: strings({messages.SCRATCH_SINCE: since})})


def test_an_entry_whose_creation_was_not_answered_is_dropped_without_its_directory(
    client: ThriftMetastore, server: ScriptedServer
) -> None:
    """It may be there, and whoever dropped it in the usual way would delete the directory."""
    server.answer = answering(**{CREATE: HangUpError()})
    with pytest.raises(MetastoreError, match="create_table"):
        client.delete_directory("s3a://b/v", SCRATCH, 0)
    assert server.methods == [CREATE, DROP]
    assert server.asked[1][1].value(3) is False


def test_entries_that_killed_runs_left_are_dropped_without_their_directories(
    client: ThriftMetastore, server: ScriptedServer
) -> None:
    """Once they are old: another run may delete by one just now."""
    for since, methods in (("99", [DROP]), ("100", []), ("", [])):
        found = Struct({1: sequence(TType.STRUCT, scratch_entry(since))})
        server.asked.clear()
        server.answer = answering(
            get_tables=Struct({0: words(SCRATCH.table)}),
            get_table_objects_by_name_req=returned(found),
        )
        client.drop_old_scratch_tables(SCRATCH.database, "ctas_spark_deletes_", 100)
        assert server.methods[2:] == methods, since
    client.drop_old_scratch_tables(SCRATCH.database, "ctas_spark_deletes_", 1)
