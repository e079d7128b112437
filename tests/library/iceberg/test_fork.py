"""A fork's own properties and files stay its own."""

import json
from typing import Any

from ctas_spark.context import TableLayout, TableName
from ctas_spark.iceberg.creation import metadata_of_creation
from ctas_spark.iceberg.facts import TableFacts
from ctas_spark.iceberg.fork import (
    DATA_PATH,
    DELETE_OLD_METADATA,
    GC,
    METADATA_PATH,
    Fork,
    ForkDirectories,
    own_metadata_files,
    published_properties,
    replace_fork_as,
    uuid_of_new,
)
from ctas_spark.publish.marker import name_of_record
from fakes.iceberg import loaded

DIRECTORIES = ForkDirectories.below("file:/w/t/", {}, "v1")


def test_a_forks_files_lie_in_directories_of_its_own() -> None:
    """Within those that the table itself uses."""
    assert ForkDirectories("file:/w/t/data/v1", "file:/w/t/metadata/v1") == DIRECTORIES
    moved = ForkDirectories.below("file:/w/t", {DATA_PATH: "s3a://b/d/"}, "v1")
    assert moved == ForkDirectories("s3a://b/d/v1", "file:/w/t/metadata/v1")


def test_the_target_gets_its_own_values_back() -> None:
    """What kept the fork apart is not published; the base's values are, or the model's."""
    base = {DELETE_OLD_METADATA: "true", "user": "1"}
    fork = {**base, **DIRECTORIES.properties, "ctas_spark_state": "staged", "model": "2"}
    assert published_properties(fork, base, {}) == {**base, "model": "2"}
    asked = {GC: "false", "model": "2"}
    assert published_properties(fork, base, asked) == {**base, **asked}


def test_the_statement_replaces_the_fork_alone() -> None:
    """With the model's clauses; what keeps the fork apart is named, or a default would undo it."""
    asked = {DELETE_OLD_METADATA: "true", "a": "b"}
    layout = TableLayout("iceberg", ("days(ts)",), comment="it's", properties=asked)
    name = TableName("stg", "t__v", "ice")
    assert replace_fork_as(name, layout, DIRECTORIES, "SELECT 1 ts") == (
        "CREATE OR REPLACE TABLE `ice`.`stg`.`t__v`\nUSING iceberg\n"
        "PARTITIONED BY (days(`ts`))\nCOMMENT 'it\\'s'\n"
        "TBLPROPERTIES ('write.metadata.delete-after-commit.enabled' = 'false', 'a' = 'b', "
        "'gc.enabled' = 'false', 'write.metadata.previous-versions-max' = '100000', "
        "'write.data.path' = 'file:/w/t/data/v1', 'write.metadata.path' = 'file:/w/t/metadata/v1')"
        "\nAS\nSELECT 1 ts"
    )


def test_a_fork_on_which_no_commit_is_safe_has_no_directories_of_its_own() -> None:
    """Whatever undid its properties, only its entry goes."""
    record = TableName("stg", "t__v1", "ice")
    properties = DIRECTORIES.properties
    whole = loaded(TableFacts({"properties": properties}, "f"))
    assert Fork(record, whole).directories == DIRECTORIES
    for key in properties:
        undone = loaded(TableFacts({"properties": {**properties, key: "theirs"}}, "f"))
        assert Fork(record, undone).directories is None


def test_a_forks_name_is_in_lower_case() -> None:
    """As a Hive metastore lists it, whatever the model is called."""
    assert name_of_record("stg", TableName("db", "Orders", "ice"), "v1").table == "orders__v1"


def test_only_metadata_in_the_forks_own_directory_is_its_own() -> None:
    """A fork that was only registered has a user's path, and not one of its own files."""
    log = [{"metadata-file": "w/t/metadata/1.json"}, {"metadata-file": "w/t/metadata/v1/2.json"}]
    document = {
        "metadata-log": log,
        "properties": {METADATA_PATH: "w/t/metadata/v1", "ctas_spark_version": "v1"},
    }
    found = own_metadata_files(TableFacts(document, "w/t/metadata/v1/3.json"))
    assert found == ("w/t/metadata/v1/2.json", "w/t/metadata/v1/3.json")
    registered = {**document, "properties": {METADATA_PATH: "w/t/metadata"}}
    assert own_metadata_files(TableFacts(registered, "w/t/metadata/1.json")) == ()


def test_a_creation_has_its_own_snapshots_only() -> None:
    """Where it was staged over a table that was dropped, that one's files may be gone."""
    document: dict[str, Any] = {
        "table-uuid": "old",
        "properties": {"ctas_spark_state": "staged"},
        "refs": {"main": {"snapshot-id": 3}, "users": {"snapshot-id": 1}},
        "snapshots": [{"snapshot-id": one, "timestamp-ms": one} for one in (1, 2, 3)],
        "snapshot-log": [{"snapshot-id": 1}, {"snapshot-id": 3}],
        "metadata-log": [{"metadata-file": "x"}],
        "statistics": [{"snapshot-id": 1}],
        "schemas": ["kept"],
    }
    staged = TableFacts(document, "x")
    dropped = TableFacts({**document, "snapshots": document["snapshots"][:1]}, "w")
    text = metadata_of_creation(staged, "v1", dropped, "l", {"a": "b"})
    assert json.loads(text) == {
        "table-uuid": uuid_of_new(staged, "v1"),
        "location": "l",
        "properties": {"a": "b"},
        "refs": {"main": {"snapshot-id": 3}},
        "snapshots": document["snapshots"][1:],
        "snapshot-log": [{"snapshot-id": 3}],
        "schemas": ["kept"],
    }
    assert json.loads(metadata_of_creation(staged, "v1", None, "l", {}))["table-uuid"] == "old"
