"""What run-operations print: no line is wider than a terminal."""

import json
from collections.abc import Mapping
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from ctas_spark.retention.rules import Event, Reason, Sweep
from dbt.adapters.ctas_spark import operations
from dbt.adapters.ctas_spark.project import Project
from fakes.graph import GRAPH, node

ALL = {"json": True}
COLUMNS = 100


def printed(name: str, known: Project, arguments: Mapping[str, Any]) -> str:
    """What an operation prints."""
    return operations.run(name, known, arguments).text


def test_a_terminal_does_not_wrap_the_history_of_a_model() -> None:
    """No line is longer than 100 characters: what may be long stands below the table."""
    version = "20260101t120000x0a1b2c3d"
    live = Event(version, "c", "2026-01-01 12:00:00", "build", "live", 50, 1_250_000, "")
    changes = ", ".join(f"+ c{number} bigint" for number in range(6))
    events = [
        replace(live, changed_in_place=True),
        replace(live, rows=1_234_567, schema_change=changes),
        replace(live, kind="rollback", state="unproven"),
    ]
    catalog = SimpleNamespace(history=lambda _: events)
    known = Project(GRAPH, None, lambda _: catalog)
    lines = printed("ctas_history", known, {"model": "orders"}).splitlines()
    assert lines[:6] == [
        f"| version{' ' * 17} | time{' ' * 15} | kind     | state    | rows      | size   |",
        f"| {'-' * 24} | {'-' * 19} | -------- | -------- | --------- | ------ |",
        f"| {version} | 2026-01-01 12:00:00 | build    | live     | 50 +      |        |",
        f"| {version} | 2026-01-01 12:00:00 | build    | live     | 1,234,567 | 1.2 MB |",
        f"| {version} | 2026-01-01 12:00:00 | rollback | unproven | 50        | 1.2 MB |",
        "+: a statement has added or replaced rows of this version in place since",
    ]
    changed = " ".join(line.strip() for line in lines[6:])
    assert changed == f"columns of shop.orders changed at 2026-01-01 12:00:00: {changes}"
    assert (len(lines), max(map(len, lines)) <= COLUMNS) == (8, True)


def test_a_terminal_does_not_wrap_the_history_of_several_models() -> None:
    """A rollback is marked behind its state, because the tables' names take the room."""
    version = "20260101t120000x0a1b2c3d"
    built = Event(version, "c", "2026-01-01 12:00:00", "build", "kept", 50, 1_250_000, "")
    back = replace(built, time="2026-01-02 12:00:00", kind="rollback", state="live")
    catalog = SimpleNamespace(history=lambda _: [back, built])
    lines = printed("ctas_history", Project(GRAPH, None, lambda _: catalog), {}).splitlines()
    assert f"| {version} | 2026-01-02 12:00:00 | live * | 50   | 1.2 MB |" in lines[2]
    assert f"| {version} | 2026-01-01 12:00:00 | kept   | 50   | 1.2 MB |" in lines[-2]
    assert lines[-1] == "*: published by a rollback"
    assert max(map(len, lines)) <= COLUMNS


@pytest.mark.parametrize("chosen", [{"model": "orders"}, {"schema": "shop"}])
def test_a_terminal_does_not_wrap_a_vacuum(chosen: dict[str, str]) -> None:
    """Reasons that the table has no room for are numbered, and stand below it; JSON has them."""
    first, last = "20260101t120000x0a1b2c3d", "20260102t120000x0a1b2c3d"
    kept = {first: Reason.EXPECTED, last: Reason.LIVE}
    place = f"file:/data/{'warehouse/' * 7}shop.db/orders"
    swept = Sweep(kept=kept, taken_over=[place])
    catalog = SimpleNamespace(
        begin_clean_up=lambda *_, **__: lambda: swept,
        abandoned=lambda *_: [],
        drop_left_views=lambda *_, **__: (),
        forget_staging_schema=lambda _: False,
    )
    known = Project({"nodes": {"orders": node("orders")}}, None, lambda _: catalog)
    lines = printed("ctas_vacuum", known, chosen).splitlines()
    cells = [line.strip("| ").split(" | ")[-2:] for line in lines[2:5]]
    assert [[one.strip() for one in row] for row in cells] == [
        ["(the replaced table)", "deleted (1)"],
        [first, "kept (2)"],
        [last, "kept: it is the table"],
    ]
    assert lines[5:] == [f"(1): {place}", f"(2): {Reason.EXPECTED.value}"]
    assert max(map(len, lines)) <= COLUMNS
    states = [row["state"] for row in json.loads(printed("ctas_vacuum", known, {**chosen, **ALL}))]
    assert states[:2] == [f"deleted: {place}", f"kept: {Reason.EXPECTED.value}"]
