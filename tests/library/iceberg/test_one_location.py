"""How a fork gets its name, and a new table the place of the one that was staged for it."""

import json
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

import pytest

from ctas_spark.context import TableName
from ctas_spark.errors import EntryExistsError, MetastoreError, RefusedError
from ctas_spark.iceberg.creation import Creation
from ctas_spark.iceberg.facts import TableFacts
from ctas_spark.iceberg.fork import METADATA_PATH, make_empty_fork, make_fork
from ctas_spark.steps import StepReport

RECORD, TARGET = TableName("staging", "t__v1", "ice"), TableName("shop", "t", "ice")
BASE = TableFacts(
    {
        "location": "s3://b/t",
        "table-uuid": "u",
        "properties": {"theirs": "yes"},
        "metadata-log": [{"metadata-file": "s3://b/t/metadata/0.json"}],
    },
    "s3://b/t/metadata/1.json",
)
FOLDER = "s3://b/t/metadata/v1"
OWN = {"gc.enabled": "false", METADATA_PATH: FOLDER}


class FakeTables:
    """A catalog that refuses what ``refusals`` has, each once and in order."""

    def __init__(self, *refusals: MetastoreError | None) -> None:
        self._refusals = list(refusals)
        self.registered: list[tuple[TableName, str]] = []
        self.written: dict[str, Any] = {}
        self.said: list[Mapping[str, str] | str] = []

    def register(self, name: TableName, metadata_location: str) -> Any:
        refusal = self._refusals.pop(0) if self._refusals else None
        if refusal is not None:
            raise refusal
        self.registered.append((name, metadata_location))
        return SimpleNamespace(with_properties=self.said.append)

    def create_empty(self, name: TableName, location: str, _: Mapping[str, str]) -> None:
        self.register(name, location)

    def location_of_new(self, name: TableName) -> str:
        return f"s3://b/staging/{name.table}"

    def write_metadata(self, text: str, _: Any, path: str) -> None:
        self.written[path] = json.loads(text)


def fork(tables: FakeTables) -> None:
    """A fork of BASE."""
    base = cast("Any", SimpleNamespace(facts=BASE))
    make_fork(cast("Any", tables), RECORD, base, OWN)


def register(tables: FakeTables) -> None:
    """A table for which RECORD was staged."""
    staged = cast("Any", SimpleNamespace(say_location=tables.said.append))
    creation = Creation(cast("Any", tables), StepReport(TARGET), RECORD, TARGET, "c")
    creation.register(staged, "new.json")


def test_a_fork_is_one_more_name_of_the_same_file() -> None:
    """Its own properties come by its first commit."""
    tables = FakeTables()
    fork(tables)
    assert tables.registered == [(RECORD, BASE.metadata_location)]
    assert (tables.said, tables.written) == ([OWN], {})


def test_where_that_is_refused_it_is_a_copy_that_lies_elsewhere() -> None:
    """In its own directory, without the files of the table's past; all else is the same."""
    tables = FakeTables(RefusedError("one table a location"))
    fork(tables)
    ((path, copy),) = tables.written.items()
    assert path.startswith(f"{FOLDER}/00000-")
    assert tables.registered == [(RECORD, path)]
    assert copy == {
        "location": "s3://b/staging/t__v1",
        "table-uuid": "u",
        "properties": {"theirs": "yes", **OWN},
        "metadata-log": [],
    }


def test_an_answer_that_is_lost_is_no_refusal() -> None:
    """The name may be there: nothing else is tried."""
    tables = FakeTables(MetastoreError("lost"))
    with pytest.raises(MetastoreError, match="lost"):
        fork(tables)
    assert tables.written == {}


def test_what_is_staged_for_a_new_table_lies_elsewhere_if_its_place_is_taken() -> None:
    """By another that is staged for it."""
    tables = FakeTables(RefusedError("one table a location"))
    make_empty_fork(cast("Any", tables), RECORD, "s3://b/new", {})
    assert tables.registered == [(RECORD, "s3://b/staging/t__v1")]


def test_a_staged_table_makes_room_for_the_one_that_is_created() -> None:
    """By what it says of its place."""
    tables = FakeTables(RefusedError("one table a location"))
    register(tables)
    assert tables.said == ["s3://b/staging/t__v1_elsewhere"]
    assert tables.registered == [(TARGET, "new.json")]


def test_a_rivals_creation_is_told_at_once() -> None:
    """Nothing is moved for it."""
    tables = FakeTables(EntryExistsError("theirs"))
    with pytest.raises(EntryExistsError):
        register(tables)
    assert tables.said == []
