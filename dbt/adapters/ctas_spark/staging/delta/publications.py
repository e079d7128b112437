"""The versions in a Delta table's history: which commit published each, and where it ended."""

from collections.abc import Iterable
from dataclasses import dataclass

from dbt.adapters.ctas_spark.staging.delta.facts import CommitFacts
from dbt.adapters.ctas_spark.staging.delta.marker import CommitMarker


@dataclass(frozen=True, slots=True)
class Published:
    """A publication; ``last`` is the log's version with all that users wrote into it since."""

    marker: CommitMarker
    number: int
    last: int


def publications(newest_first: Iterable[CommitFacts], number: int) -> tuple[Published, ...]:
    """Builds and rollbacks, newest first; fences are none.

    Args:
        number: the table's version now.
    """
    found, last = [], number
    for commit in newest_first:
        if commit.ends_our_version:
            last = commit.number - 1
        if commit.marker is None or commit.marker.kind.keeps_the_version:
            continue
        found.append(Published(commit.marker, commit.number, last))
        last = commit.number - 1
    return tuple(found)
