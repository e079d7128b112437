"""What a model's configuration has to be if its query is a stream."""

from types import SimpleNamespace
from typing import Any

import pytest

from ctas_spark.context import TableName
from ctas_spark.engines import jvm
from ctas_spark.errors import NotSupportedError
from ctas_spark.files.stream import check_sources
from dbt.adapters.ctas_spark import streams
from dbt.adapters.ctas_spark.increments import WriteMode
from dbt.adapters.ctas_spark.relation import CtasSparkRelation

TABLE = CtasSparkRelation.create(schema="shop", identifier="orders")
DELTA = CtasSparkRelation.create(
    schema="shop", identifier="orders", information="Provider: delta", is_delta=True
)
VERSION = "file:/w/s.db/ctas-spark/s0123456789ab/s.t/v1"
MERGE = {"incremental_strategy": "merge", "unique_key": "id"}


@pytest.mark.parametrize(
    "config",
    [
        {"atomicity": "isolated"},
        {"atomicity": "atomic", "incremental_strategy": "append"},
        MERGE,
        {**MERGE, "incremental_strategy": "delete+insert", "atomicity": "auto"},
    ],
)
@pytest.mark.parametrize("by", [WriteMode.WHOLE, WriteMode.WITH_OLD_ROWS])
def test_rows_that_are_published_as_a_version_may_come_from_a_stream(
    config: dict[str, Any], by: WriteMode
) -> None:
    """The first build is asked for what later ones need."""
    assert list(streams.problems(config, TABLE, by)) == []


@pytest.mark.parametrize(
    ("config", "by", "table", "names"),
    [
        ({}, WriteMode.WHOLE, TABLE, ["atomicity"]),
        ({}, WriteMode.IN_PLACE, TABLE, ["atomicity"]),
        ({**MERGE, "atomicity": "none"}, WriteMode.WHOLE, TABLE, ["atomicity"]),
        (
            {"incremental_strategy": "microbatch"},
            WriteMode.IN_PLACE,
            TABLE,
            ["incremental_strategy"],
        ),
        ({"incremental_strategy": "own"}, WriteMode.IN_PLACE, TABLE, ["incremental_strategy"]),
        ({"file_format": "delta", **MERGE}, WriteMode.WHOLE, TABLE, ["file_format"]),
        ({"file_format": "DELTA", **MERGE}, WriteMode.WHOLE, TABLE, ["file_format"]),
        ({"file_format": "iceberg", **MERGE}, WriteMode.WITH_OLD_ROWS, TABLE, ["file_format"]),
        ({}, WriteMode.IN_PLACE, DELTA, ["file_format", "atomicity"]),
    ],
)
def test_anything_else_is_named(
    config: dict[str, Any], by: WriteMode, table: CtasSparkRelation, names: list[str]
) -> None:
    """Every problem, by the config to change."""
    assert [one.split(":")[0] for one in streams.problems(config, table, by)] == names


@pytest.mark.parametrize(
    ("sql", "may_be"),
    [
        ("select * from STREAM raw.events", True),
        ("select * from stream(raw.events)", True),
        ("select upstream, stream_id from raw.streams", False),
    ],
)
def test_only_a_query_with_the_word_is_looked_at(sql: str, *, may_be: bool) -> None:
    """Spark says what it is; asking costs another analysis."""
    assert bool(streams.WORD.search(sql)) is may_be


def reading(monkeypatch: pytest.MonkeyPatch, **options: str) -> Any:
    """A stream of one source of files with these options, and of another source."""
    provider = options.pop("provider", "json")
    source = SimpleNamespace(options=lambda: options, className=lambda: provider)
    leaves = [
        SimpleNamespace(nodeName=lambda: "StreamingRelationV2"),
        SimpleNamespace(nodeName=lambda: "StreamingRelation", dataSource=lambda: source),
    ]
    plan = SimpleNamespace(
        collectLeaves=lambda: SimpleNamespace(size=lambda: 2, apply=leaves.__getitem__)
    )
    monkeypatch.setattr(jvm, "as_json", lambda _spark, value: value)
    execution = SimpleNamespace(analyzed=lambda: plan)
    return SimpleNamespace(
        sparkSession=None, _jdf=SimpleNamespace(queryExecution=lambda: execution)
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"path": VERSION}, "one version of a table"),
        ({"path": "s3a://landing/raw", "cleanSource": "archive"}, "cleanSource"),
    ],
)
def test_a_source_that_repeats_or_loses_rows_is_refused(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, str], said: str
) -> None:
    """Before the stream is read."""
    with pytest.raises(NotSupportedError, match=said):
        check_sources(reading(monkeypatch, **options), TableName("shop", "orders"))


@pytest.mark.parametrize(
    "options",
    [
        {"path": "s3a://landing/ctas-spark/raw", "cleanSource": "OFF"},
        {"path": VERSION, "provider": "delta"},
    ],
)
def test_any_other_source_is_read(monkeypatch: pytest.MonkeyPatch, options: dict[str, str]) -> None:
    """A path that only looks like a version's, and a Delta table, which stays at its first path."""
    check_sources(reading(monkeypatch, **options), TableName("shop", "orders"))
