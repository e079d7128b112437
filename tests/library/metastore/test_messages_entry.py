"""The struct of a changed entry, which every client of a Hive metastore sends."""

from dataclasses import replace

import pytest
from thrift.Thrift import TType

from ctas_spark.metastore.client import (
    PARTITION_COLUMN,
    PARTITION_COLUMN_COUNT,
    PLACEHOLDER,
    PROVIDER,
    STAGED_STATICALLY,
    EntryChange,
    TableEntry,
)
from ctas_spark.metastore.messages import SERDE, SERDE_PARAMETERS, changed, entry_of
from ctas_spark.wire import (
    Field,
    Struct,
    sequence,
    string,
    strings,
)
from fakes.thrift_tables import (
    CHANGE,
    CREATED,
    NAME,
    OWNER,
    OWNER_TYPE,
    PARAMETERS,
    PRIVILEGES,
    RECORD,
    STORAGE,
    entry,
    table,
)

COLUMNS, KEYS, TYPE = 1, 8, 12
COMMENTED = Struct({1: string("n"), 2: string("int"), 3: string("a number")})


def with_columns(owner: str, *columns: Struct) -> TableEntry:
    """An entry whose ``sd.cols`` are these."""
    made = table(owner)
    storage = made.struct(STORAGE).replaced({COLUMNS: sequence(TType.STRUCT, *columns)})
    return entry_of(NAME, made.replaced({STORAGE: Field(TType.STRUCT, storage)}))


def columns_sent(change: EntryChange) -> tuple[Struct, ...]:
    """``sd.cols`` of the changed entry, of which nothing else has changed."""
    sent, staged = changed(change).struct(STORAGE), change.staged.raw
    assert isinstance(staged, Struct)
    unchanged = staged.struct(STORAGE).fields.get(COLUMNS)
    assert sent.replaced({COLUMNS: unchanged}) == staged.struct(STORAGE)
    return sent.structs(COLUMNS)


def test_the_option_of_the_staging_is_not_published() -> None:
    """It would rule each later INSERT OVERWRITE; what the model set stays, in any spelling."""
    theirs = {"path": "s3a://b/v", "partitionOverwriteMode": "dynamic"}
    for given, left in (({**theirs, **STAGED_STATICALLY}, theirs), (theirs, theirs)):
        serde = Field(TType.STRUCT, Struct({SERDE_PARAMETERS: strings(given)}))
        made = table("staged")
        storage = made.struct(STORAGE).replaced({SERDE: serde})
        staged = entry_of(NAME, made.replaced({STORAGE: Field(TType.STRUCT, storage)}))
        sent = changed(EntryChange.of(staged, {}))
        assert sent.struct(STORAGE).struct(SERDE).texts(SERDE_PARAMETERS) == left


def test_a_publication_loses_no_field() -> None:
    """The entry that is published is the staged one, what no client knows of included."""
    expected = table("staged").replaced(
        {1: string(NAME.table), 2: string(NAME.database), PARAMETERS: strings({"a": "b"})}
    )
    assert changed(EntryChange(NAME, entry("staged", RECORD), None, {"a": "b"})) == expected


def test_owner_and_privileges_are_the_bases() -> None:
    """Owner, the owner's type, creation time and privileges come from the entry that is there."""
    published, base = changed(CHANGE), table("base")
    for number in (OWNER, OWNER_TYPE, CREATED, PRIVILEGES):
        assert published.fields[number] == base.fields[number]
    assert published.fields[STORAGE] == table("staged").fields[STORAGE]


def test_privileges_that_the_base_lacks_are_not_brought() -> None:
    """A base without privileges stays so, whatever the staged entry has."""
    base = entry_of(NAME, table("base").replaced({PRIVILEGES: None}))
    assert PRIVILEGES not in changed(EntryChange(NAME, entry("staged", RECORD), base, {})).fields


def test_hive_columns_are_those_that_are_asked_for() -> None:
    """They are the staged ones, the base's, or none at all."""
    staged, base = with_columns("staged"), with_columns("base", COMMENTED)
    assert columns_sent(EntryChange(NAME, base, staged, {})) == (COMMENTED,)
    assert columns_sent(EntryChange(NAME, base, staged, {}, ())) == ()
    assert columns_sent(EntryChange(NAME, staged, base, {}, base.described_columns)) == (COMMENTED,)


def test_columns_are_sent_with_the_comments_that_they_have() -> None:
    """A column without a comment has none on the server either."""
    columns = (PLACEHOLDER, ("n", "int"))
    change = EntryChange(NAME, entry("staged"), entry("base"), {}, columns)
    named, plain = columns_sent(change)
    assert [named.text(number) for number in (1, 2, 3)] == list(PLACEHOLDER)
    assert plain.fields == {1: string("n"), 2: string("int")}


def test_only_columns_change_in_a_change_of_columns() -> None:
    """An entry whose columns are filled in is sent as it was read otherwise."""
    found = replace(entry("base"), name=NAME, parameters={"a": "b"})
    sent = changed(EntryChange.of(found, dict(found.parameters), (("n", "int", "a number"),)))
    assert sent.struct(STORAGE).structs(COLUMNS) == (COMMENTED,)
    own = {1: string(NAME.table), 2: string(NAME.database), PARAMETERS: strings({"a": "b"})}
    expected = table("base").replaced({**own, STORAGE: sent.fields[STORAGE]})
    assert sent == expected


def test_keys_are_the_bases_where_they_are_kept() -> None:
    """Hive's partition keys are the staged ones, or the base's to the last field."""
    keys = sequence(TType.STRUCT, COMMENTED)
    base = entry_of(NAME, table("base").replaced({KEYS: keys}))
    change = EntryChange(NAME, entry("staged"), base, {})
    assert changed(change).fields[KEYS] == table("staged").fields[KEYS]
    assert changed(replace(change, keeps_partition_keys=True)).fields[KEYS] == keys


def test_comments_are_read_with_the_columns() -> None:
    """Columns are told with their comments, and are equal to the same ones without."""
    found = with_columns("base", COMMENTED, Struct({1: string("m"), 2: string("int")}))
    assert found.columns == (("n", "int"), ("m", "int"))
    assert found.described_columns == (("n", "int", "a number"), ("m", "int"))


@pytest.mark.parametrize(
    ("parameters", "columns"),
    [
        ({}, ("day",)),
        ({PROVIDER: "parquet"}, ()),
        ({PROVIDER: "orc", PARTITION_COLUMN_COUNT: "1", f"{PARTITION_COLUMN}0": "m"}, ("m",)),
        ({PARTITION_COLUMN_COUNT: "1", f"{PARTITION_COLUMN}0": "Day"}, ("Day",)),
    ],
    ids=["Hive's own", "a data source's, none", "a data source's", "Hive's own, by Spark"],
)
def test_spark_takes_partition_columns_from_the_parameters(
    parameters: dict[str, str], columns: tuple[str, ...]
) -> None:
    """They are those of the parameters, and Hive's keys only where Spark has none of its own."""
    found = replace(entry("base"), parameters=parameters)
    assert (found.partition_keys, found.partition_columns) == (("day",), columns)


def test_an_entry_of_another_client_is_refused() -> None:
    """An entry that another client read can't be published through this one."""
    foreign = TableEntry(NAME, "EXTERNAL_TABLE", None, (), (), 0, {}, raw=None)
    with pytest.raises(TypeError, match="another client"):
        changed(EntryChange(NAME, foreign, None, {}))
