"""Readers in another process, and kills, while a project with every kind of node is built."""

from pathlib import Path

import pytest

from every_node.content import Shape, inspect, rows
from every_node.life import Limits, live
from readers.content import WrongContentError
from readers.tables import SharedTables
from servers.metastore import running_metastore

KILLS = 3
SCHEMA = [("id", "int"), ("v", "int"), ("part", "int")]


@pytest.mark.long
def test_no_read_of_any_node_fails_or_mixes(tmp_path: Path) -> None:
    """Each node is as before a killed build or as after it, and the next build succeeds."""
    with running_metastore(tmp_path / "metastore", tmp_path / "warehouse") as server:
        tables = SharedTables(server.spark_conf())
        life = live(tables, "ctas_spark", Limits(reads=0, kills=KILLS, readers=1), tmp_path)
    assert life.violations() == []
    assert len(life.kills) == KILLS
    assert {shown for kill in life.kills for shown in kill.shown.values()} <= {"old", "new"}
    assert all(len(verdict.versions) > 1 for verdict in life.verdicts().values())


@pytest.mark.parametrize(
    ("shape", "seen", "fault"),
    [
        (Shape.REPLACED, [], "empty"),
        (Shape.REPLACED, rows(1) + rows(2), "mixed"),
        (Shape.REPLACED, rows(2)[1:], "partial"),
        (Shape.REPLACED, rows(2)[1:] + rows(1)[:1], "mixed"),
        (Shape.ADDED, rows(2), "partial"),
        (Shape.ADDED, rows(1) + rows(2)[1:], "partial"),
        (Shape.ADDED, rows(1) + rows(2) + rows(2), "mixed"),
    ],
)
def test_rows_of_other_rounds_are_a_fault(
    shape: Shape, seen: list[tuple[int, int, int]], fault: str
) -> None:
    """So are missing ones."""
    assert inspect(Shape.REPLACED, SCHEMA, rows(2)) == 2
    assert inspect(Shape.ADDED, SCHEMA, rows(1) + rows(2)) == 2
    with pytest.raises(WrongContentError, match=f"^{fault}"):
        inspect(shape, SCHEMA, seen)
