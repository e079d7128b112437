"""What an event holds."""

import dataclasses
import json
import re
from datetime import timedelta
from pathlib import Path

import pytest

from ctas_spark.context import (
    Atomicity,
    StagingContext,
    TableLayout,
    TableName,
)
from ctas_spark.engines.protocol import WriteFigures
from ctas_spark.errors import ConcurrentWriteError
from ctas_spark.hooks import Column, Dataset, Failure, JobState
from ctas_spark.hooks.event import format_of
from fakes.hooks import EVENT
from fakes.world import World

PAGE = Path(__file__).parents[3] / "docs" / "hooks.md"


def test_an_event_can_not_be_changed() -> None:
    """A hook that tries fails; the next hook gets the same event."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        EVENT.rows = 1  # type: ignore[misc]  # what is tested


def test_a_later_moment_is_of_the_same_publication() -> None:
    """Its time is later and in UTC, and the state is another."""
    ended = EVENT.turned(JobState.FAILED, error=Failure("X", "y"))
    assert ended.publication == EVENT.publication
    assert ended.at >= EVENT.at
    assert ended.at.utcoffset() == timedelta(0)
    assert (ended.state, ended.error) == (JobState.FAILED, Failure("X", "y"))


def test_a_staged_table_gives_its_context_and_a_committed_one_its_version(world: World) -> None:
    """What was asked for and what is kept; figures and version once they are the table's."""
    first = world.published()
    world.job.counted = WriteFigures(rows=7, files=1, bytes=4)
    staged = world.begun()
    world.stage(staged)
    begun = EVENT.staged_as(staged)
    assert (begun.purpose, begun.asked, begun.level) == (
        staged.context.purpose,
        Atomicity.AUTO,
        Atomicity.ISOLATED,
    )
    assert (begun.outcome, begun.version, begun.rows) == (None, None, None)
    staged.verify()
    staged.commit()
    ended = EVENT.staged_as(staged)
    assert ended.outcome == "committed"
    assert (ended.version, ended.base_version) == (staged.version, first.version)
    assert (ended.rows, ended.files, ended.bytes) == (7, 1, 4)


def test_a_format_that_the_catalog_chooses_is_not_known() -> None:
    """An Iceberg table of a model without file_format is not said to be of Parquet files."""
    unnamed = TableLayout(format_given=False)
    elsewhere = TableName("eu", "t", "ice")
    assert format_of(StagingContext(TableName("shop", "t"), "s", layout=unnamed)) == "parquet"
    assert format_of(StagingContext(elsewhere, "s", layout=unnamed)) is None
    assert format_of(StagingContext(elsewhere, "s", layout=TableLayout("iceberg"))) == "iceberg"


def test_an_aborted_version_is_not_named(world: World) -> None:
    """Nobody could read it."""
    staged = world.begun()
    staged.abort("failed")
    event = EVENT.staged_as(staged)
    assert (event.outcome, event.version) == ("not_committed", None)


def test_the_page_lists_every_field() -> None:
    """And no other."""
    table = PAGE.read_text().split("## What an event says")[1]
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    listed = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert sorted(listed) == sorted(one.name for one in dataclasses.fields(EVENT))


def test_an_error_has_the_name_of_ours_or_its_class() -> None:
    """Scripts search for the name, whatever dbt wraps the error in."""
    wrapped = RuntimeError("dbt's words")
    wrapped.__cause__ = ConcurrentWriteError("another was first")
    assert Failure.of(wrapped, "told") == Failure("CONCURRENT_WRITE", "told")
    assert Failure.of(ValueError("no")) == Failure("ValueError", "no")
    missing = ModuleNotFoundError("no module", name="numpy")
    assert Failure.of(missing) == Failure("ModuleNotFoundError", "no module")


def test_an_event_is_written_as_plain_json() -> None:
    """State, time and table stand first; paths are lists, and what is not known is null."""
    event = EVENT.turned(
        JobState.FINISHED,
        columns=(Column("id", "bigint"),),
        inputs=(Dataset(("ice", "eu.raw", "orders"), version="7"),),
    )
    told = json.loads(json.dumps(event.as_json()))
    assert list(told)[:3] == ["state", "at", "table"]
    assert told["state"] == "finished"
    assert told["at"].endswith("+00:00")
    assert told["table"] == "shop.orders"
    assert told["path"] == ["spark_catalog", "shop", "orders"]
    assert told["columns"] == [{"name": "id", "type": "bigint"}]
    assert told["inputs"] == [{"path": ["ice", "eu.raw", "orders"], "columns": [], "version": "7"}]
    assert told["version"] is None
