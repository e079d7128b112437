"""Publications are found in a table's own history."""

from typing import Any

import pytest

from ctas_spark.context import TableName
from ctas_spark.iceberg.facts import TableFacts
from ctas_spark.iceberg.fork import Fork
from ctas_spark.iceberg.restore import history, last_of, publications
from ctas_spark.publish.marker import PublicationKind, SnapshotMarker
from fakes.iceberg import loaded


def marker(
    commit: str, version: str, kind: PublicationKind = PublicationKind.BUILD
) -> SnapshotMarker:
    """A marker of a snapshot."""
    return SnapshotMarker(commit, version, "", "db.t", "isolated", kind, 1, 0, 0, version)


def table(
    *snapshots: tuple[int, int | None, SnapshotMarker | None], main: int | None = None
) -> Any:
    """A table whose main showed the snapshots (id, parent, marker) one after the other."""
    listed = [
        {
            "snapshot-id": number,
            "timestamp-ms": number,
            "schema-id": 0,
            "summary": found.to_summary() if found else {"operation": "append"},
            **({"parent-snapshot-id": parent} if parent is not None else {}),
        }
        for number, parent, found in snapshots
    ]
    last = snapshots[-1][0] if main is None and snapshots else main
    document = {
        "table-uuid": "u",
        "snapshots": listed,
        "snapshot-log": [{"snapshot-id": number} for number, _, _ in snapshots],
        "refs": {"main": {"snapshot-id": last}} if last is not None else {},
    }
    return TableFacts(document, "file")


A, B = marker("c1", "v1"), marker("c2", "v2")
FENCE = marker("f1", "v1", PublicationKind.FENCE)


def test_a_users_insert_belongs_to_the_version() -> None:
    """The version that is live is that of the nearest marker."""
    assert table((1, None, A), (2, 1, None), (3, 2, None)).marker == A


def test_anothers_replace_is_no_version_of_ours() -> None:
    """It begins without a parent, and so without a marker."""
    assert table((1, None, A), (2, None, None)).marker is None


def test_publications_are_newest_first() -> None:
    """By what main has shown, not by numbers."""
    found = publications(table((9, None, A), (4, None, B)))
    assert [marker.version for marker, _ in found] == ["v2", "v1"]


def test_a_version_ends_where_the_next_begins() -> None:
    """Users' writes to it and fences of it are part of it; its successor and others' are not."""
    shown = table((1, None, A), (2, 1, None), (3, 2, FENCE), (4, None, None), (5, None, B))
    found = last_of(shown, "v1")
    assert found is not None
    assert (found[0], found[1].id) == (A, 3)
    assert last_of(shown, "v3") is None


@pytest.mark.parametrize(
    ("log", "last"),
    [
        ([1, 2, 1, 4], 1),
        ([1, 2, 1, 3, 4], 3),
        ([1, 2, 3, 2, 4], 2),
        ([1, 2, 4], 2),
        ([1, 4, 1, 3, 4], 3),
    ],
)
def test_a_version_is_what_users_rolled_it_back_to(log: list[int], last: int) -> None:
    """A snapshot that is shown again stands in the log once more."""
    shown = table((1, None, A), (2, 1, None), (3, 1, None), (4, None, B))
    shown.document["snapshot-log"] = [{"snapshot-id": one, "timestamp-ms": one} for one in log]
    found = last_of(shown, "v1")
    assert found is not None
    assert found[1].id == last


def test_a_fence_is_not_in_the_history() -> None:
    """It leaves the version as it was."""
    events = history(table((1, None, A), (2, 1, FENCE), (3, None, B)))
    assert [(one.version, one.state) for one in events] == [("v2", "live"), ("v1", "kept")]
    assert history(table()) == ()


def test_rows_that_were_changed_since_are_said() -> None:
    """By statements in a version, live or superseded; a fence or moved files change none."""
    moved = table((1, None, A), (2, 1, FENCE), (3, 2, None), (4, None, B))
    moved.document["snapshots"][2]["summary"] = {"operation": "replace"}
    assert [one.changed_in_place for one in history(moved)] == [False, False]
    added = table((1, None, A), (2, 1, None), (3, None, B), (4, 3, FENCE), (5, 4, None))
    assert [one.changed_in_place for one in history(added)] == [True, True]


def test_a_commit_is_known_after_it_was_superseded() -> None:
    """As long as Iceberg keeps its snapshot."""
    superseded = table((1, None, A), (2, None, B))
    assert superseded.has_commit("c1")
    assert not superseded.has_commit("c3")


def test_attempts_are_those_of_the_fork_itself() -> None:
    """A fork inherits the markers of its target."""
    fork = Fork(TableName("staging", "t__v2", "ice"), loaded(table((1, None, A), (2, None, B))))
    assert fork.attempts == (B,)


def test_a_marker_that_is_cut_is_none() -> None:
    """Every key of it has to be there."""
    summary = A.to_summary()
    assert SnapshotMarker.of(summary) == A
    for key in summary:
        assert SnapshotMarker.of({k: v for k, v in summary.items() if k != key}) is None
