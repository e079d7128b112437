"""The versions in a Delta table's own history: which commit published each, and where it ended."""

from collections.abc import Iterable
from dataclasses import dataclass

from dbt.adapters.ctas_spark.staging.delta.facts import CommitFacts, CommitMarker
from dbt.adapters.ctas_spark.staging.retention.rules import Event, time_text

KEPT = "kept"
LIVE = "live"


@dataclass(frozen=True, slots=True)
class Published:
    """A publication; ``last`` is the log's version with all that users wrote into it since."""

    marker: CommitMarker
    number: int
    last: int


def publications(newest_first: Iterable[CommitFacts], number: int) -> tuple[Published, ...]:
    """Builds and rollbacks, newest first; a fence publishes nothing.

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


def last_states(
    commits: tuple[CommitFacts, ...], number: int, created: str | None
) -> dict[str, int]:
    """The log's version with each version's last state; newest first.

    Args:
        commits: all that the log still has, newest first.
        number: the table's version now.
        created: the version that created the table, which stands in its entry only.
    """
    published = publications(commits, number)
    found: dict[str, int] = {}
    for one in published:
        found.setdefault(one.marker.version, one.last)
    whole = bool(commits) and commits[-1].number == 0
    if created is not None and whole and published:
        found.setdefault(created, published[-1].number - 1)
    return found


def events(published: tuple[Published, ...], live: str | None) -> tuple[Event, ...]:
    """Every build and rollback that Delta's log still has, newest first.

    Args:
        live: the version that the table shows; None if it shows another's.
    """
    return tuple(
        _event(one, LIVE if at == 0 and one.marker.version == live else KEPT)
        for at, one in enumerate(published)
    )


def _event(one: Published, state: str) -> Event:
    marker = one.marker
    return Event(
        version=marker.version,
        time=time_text(marker.time_ms),
        kind=marker.kind.value,
        state=state,
        rows=marker.rows,
        bytes=marker.bytes,
        schema_change="",
    )
