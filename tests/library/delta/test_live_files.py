"""Which files a Delta table has, by the text of its last commits."""

from dataclasses import replace

import pytest

from ctas_spark.delta.facts import CommitMarker, has_all_files, live_files
from ctas_spark.publish.marker import PublicationKind

MARKER = CommitMarker(
    "c1", "20260101t000000x00000001", "", "a.t", "isolated", PublicationKind.BUILD, 1
)


def _added(path: str, **also: object) -> dict[str, dict[str, object]]:
    return {"add": {"path": path, "size": 1, **also}}


def _removed(path: str) -> dict[str, dict[str, object]]:
    return {"remove": {"path": path}}


def test_a_file_lives_until_a_later_commit_removes_it() -> None:
    """The first commit removes what it replaces, which is nothing that it adds."""
    first = [_added("a"), _added("b"), _removed("before")]
    assert set(live_files([first, [_removed("a")], [_added("c")]])) == {"b", "c"}


def test_a_file_whose_deletion_vector_changes_lives_on() -> None:
    """One commit removes and adds its path, in any order."""
    changed = [_added("a", deletionVector="new"), _removed("a")]
    assert live_files([[_added("a")], changed])["a"]["deletionVector"] == "new"


@pytest.mark.parametrize(
    "kind", [one for one in PublicationKind if one is not PublicationKind.BUILD]
)
def test_only_a_build_of_ours_has_all_files(kind: PublicationKind) -> None:
    """A rollback and a fence leave files in place, which only earlier commits name."""

    def told(marker: CommitMarker) -> list[dict[str, dict[str, str]]]:
        return [{"commitInfo": {"operation": "REPLACE", "userMetadata": marker.to_text()}}]

    assert has_all_files(7, told(MARKER))
    assert not has_all_files(7, told(replace(MARKER, kind=kind)))


def test_the_commit_that_created_the_table_has_all_files() -> None:
    """Whoever made it; a later one without a marker of ours may be an INSERT."""
    assert has_all_files(0, [_added("a")])
    assert not has_all_files(1, [{"commitInfo": {"operation": "WRITE"}}, _added("a")])
