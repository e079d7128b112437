"""The live files of a Delta table, out of the text of its last commits."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..publish.marker import Kind
from .facts import CommitMarker

Action = Mapping[str, Any]
Files = Mapping[str, Mapping[str, Any]]
"""The fields of ``add`` actions by their paths, which are encoded as in URIs."""

KEPT_IN_A_REMOVAL = (
    "path",
    "partitionValues",
    "size",
    "stats",
    "tags",
    "deletionVector",
    "baseRowId",
    "defaultRowCommitVersion",
)


def live_files(commits: Iterable[Sequence[Action]]) -> Files:
    """What is left of consecutive commits, oldest first, of which the first has all live files.

    A path lives once: a commit that gives it another deletion vector removes and adds it.
    """
    found: dict[str, Mapping[str, Any]] = {}
    for actions in commits:
        for gone in (one["remove"] for one in actions if "remove" in one):
            found.pop(gone["path"], None)
        found |= {one["add"]["path"]: one["add"] for one in actions if "add" in one}
    return found


def has_all_files(number: int, actions: Sequence[Action]) -> bool:
    """True for the commit that created the table, and for a build of ours, which replaces all."""
    told = (one["commitInfo"].get("userMetadata") for one in actions if "commitInfo" in one)
    marker = CommitMarker.parse(next(told, None))
    return number == 0 or (marker is not None and marker.kind is Kind.BUILD)


def removal(add: Mapping[str, Any], time_ms: int) -> Action:
    """What Delta's own ``AddFile.removeWithTimestamp`` makes of the fields of an ``add``."""
    kept = {key: add.get(key) for key in KEPT_IN_A_REMOVAL}
    return {**kept, "deletionTimestamp": time_ms, "dataChange": True, "extendedFileMetadata": True}
