"""What a client promises on a server: every field, one winner, no answer taken for another."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
from pymetastore.hive_metastore import ttypes

from contract_clients.places import unused
from contract_clients.server_place import ServerPlace
from ctas_spark.context import TableName
from ctas_spark.errors import EntryModifiedError, MetastoreError
from ctas_spark.metastore.client import (
    PROVIDER,
    CallUnansweredError,
    EntryChange,
    Expectation,
    TableEntry,
)

RACERS = 4
ROUNDS = 5
SET_BY_THE_SERVER = ("tableName", "createTime")


def rich_table(place: ServerPlace, name: TableName) -> ttypes.Table:
    """A table that uses every field that this server keeps."""
    column = ttypes.FieldSchema("id", "bigint", "größer als 0")
    serde = ttypes.SerDeInfo(
        "of the table", "org.apache.hadoop.hive.ql.io.orc.OrcSerde", {"a": "b", "field.delim": "\t"}
    )
    storage = ttypes.StorageDescriptor(
        cols=[column, ttypes.FieldSchema("n", "struct<a:int,b:array<string>>")],
        location=f"file:{place.directory(name)}",
        inputFormat="org.apache.hadoop.hive.ql.io.orc.OrcInputFormat",
        outputFormat="org.apache.hadoop.hive.ql.io.orc.OrcOutputFormat",
        compressed=True,
        numBuckets=3,
        serdeInfo=serde,
        bucketCols=["id"],
        sortCols=[ttypes.Order("id", 0)],
        parameters={"of": "the storage"},
        skewedInfo=ttypes.SkewedInfo(["id"], [["1"], ["2"]], {}),
        storedAsSubDirectories=True,
    )
    return ttypes.Table(
        tableName=name.table,
        dbName=name.database,
        owner="ann",
        lastAccessTime=77,
        retention=5,
        sd=storage,
        partitionKeys=[ttypes.FieldSchema("day", "date", "of the order")],
        parameters={"EXTERNAL": "TRUE", "comment": "rich"},
        tableType="EXTERNAL_TABLE",
    )


def made_rich(place: ServerPlace) -> TableEntry:
    """The rich table, as the client reads it."""
    name = unused(place)
    place.ask(lambda hand: hand.create_table(rich_table(place, name)))
    found = place.client.get_table(name)
    assert found is not None
    return found


def fields(table: ttypes.Table, *but: str) -> dict[str, object]:
    """All fields but these."""
    return {key: value for key, value in vars(table).items() if key not in but}


def test_a_created_copy_has_every_field(remote: ServerPlace) -> None:
    """An entry that is created from another has all of its fields, for a foreign client too."""
    staged, target = made_rich(remote), unused(remote)
    remote.client.create_table(EntryChange(target, staged, None, dict(staged.parameters)))
    copy, original = remote.seen(target), remote.seen(staged.name)
    assert fields(copy, *SET_BY_THE_SERVER) == fields(original, *SET_BY_THE_SERVER)
    assert copy.tableName == target.table


def test_a_replaced_entry_has_every_field_of_the_staged_one(remote: ServerPlace) -> None:
    """A replaced entry has all fields of the staged one but for owner and creation time."""
    staged, base = made_rich(remote), remote.new(partition_keys=("day",))
    before = remote.seen(base.name)
    remote.client.alter_table(EntryChange(base.name, staged, base, dict(staged.parameters)), None)
    after, original = remote.seen(base.name), remote.seen(staged.name)
    of_the_base = ("tableName", "createTime", "owner")
    assert fields(after, *of_the_base) == fields(original, *of_the_base)
    assert [getattr(after, key) for key in of_the_base] == [
        getattr(before, key) for key in of_the_base
    ]


def test_every_client_reads_the_same(thrift: ServerPlace, in_jvm: ServerPlace) -> None:
    """Clients that read one entry make the same of it."""
    partitioned, view = made_rich(thrift), thrift.new(table_type="VIRTUAL_VIEW", location=None)
    for entry in (partitioned, view):
        assert in_jvm.client.get_table(entry.name) == entry
    location = thrift.client.database_location(in_jvm.database)
    assert in_jvm.client.database_location(in_jvm.database) == location


@pytest.mark.parametrize("provider", ["parquet", None])
def test_a_path_in_the_serde_is_the_location_of_sparks_own_tables(
    remote: ServerPlace, provider: str | None
) -> None:
    """Spark reads a data source's table there; Hive's, as every other engine, at sd.location."""
    name = unused(remote)
    table = rich_table(remote, name)
    table.sd.serdeInfo.parameters["path"] = "s3a://bucket/t"
    if provider:
        table.parameters[PROVIDER] = provider
    remote.ask(lambda hand: hand.create_table(table))
    found = remote.client.get_table(name)
    assert found is not None
    places = ["s3a://bucket/t", f"file:{remote.directory(name)}"]
    expected = places if provider else places[::-1]
    assert [found.location, found.also_at] == expected


def test_a_race_has_one_winner(remote: ServerPlace) -> None:
    """Of writers that expect the same value one wins each round, and the others are told."""
    entry = remote.new(parameters={"commit": "0"})
    start = threading.Barrier(RACERS)

    def race(racer: int, expected: str) -> str | None:
        mine = f"{expected}.{racer}"
        start.wait()
        try:
            change = EntryChange(entry.name, entry, entry, {"commit": mine})
            remote.client.alter_table(change, Expectation("commit", expected))
        except EntryModifiedError:
            return None
        return mine

    expected = "0"
    with ThreadPoolExecutor(RACERS) as racers:
        for _ in range(ROUNDS):
            results = racers.map(race, range(RACERS), [expected] * RACERS)
            (expected,) = (result for result in results if result is not None)
            assert remote.seen(entry.name).parameters["commit"] == expected


def test_a_server_that_is_gone_is_an_error_until_it_is_back(remote: ServerPlace) -> None:
    """Calls on a server that is gone are MetastoreError; the first one after its return works."""
    made = remote.new()
    remote.relay.cut()
    try:
        for _ in range(2):
            with pytest.raises(MetastoreError) as caught:
                remote.client.get_table(made.name)
            assert caught.type is MetastoreError
    finally:
        remote.relay.resume()
    assert remote.client.get_table(made.name) == made


def test_a_lost_answer_is_not_a_refusal(remote: ServerPlace) -> None:
    """A call whose answer is lost had its effect once, and says only that it does not know."""
    base = remote.new(parameters={"commit": "0"})
    change = EntryChange(base.name, base, base, {"commit": "1"})
    remote.relay.loses_answers = True
    try:
        with pytest.raises(CallUnansweredError):
            remote.client.alter_table(change, Expectation("commit", "0"))
    finally:
        remote.relay.loses_answers = False
    assert remote.seen(base.name).parameters["commit"] == "1"
    assert remote.client.get_table(base.name) is not None
