"""What became of a commit call, decided by a fresh read and never by "the call raised"."""

from enum import Enum

from dbt.adapters.ctas_spark.staging.errors import MetastoreError, RefusedError
from dbt.adapters.ctas_spark.staging.files.base import Base
from dbt.adapters.ctas_spark.staging.files.publication import Publication
from dbt.adapters.ctas_spark.staging.metastore.entry import TableEntry
from dbt.adapters.ctas_spark.staging.publish.marker import MOST_ENTRIES, Marker


class Outcome(str, Enum):
    """The fate of one publication; KEPT means that none was asked for."""

    COMMITTED = "committed"
    NOT_COMMITTED = "not_committed"
    UNKNOWN = "unknown"
    KEPT = "kept"


def decide(
    after: TableEntry | None, publication: Publication, failure: MetastoreError | None
) -> Outcome:
    """The outcome, from the target read after the call and from how the call ended.

    COMMITTED is decided first, after a refusal too: a retry in client or server turns a success
    into "conflict" or "exists" (Iceberg's ``checkCommitStatus`` does the same).
    """
    if _shows(after, publication.marker):
        return Outcome.COMMITTED
    if after is not None and after.directory_name == publication.marker.version:
        return Outcome.UNKNOWN
    if isinstance(failure, RefusedError) or _has_left(publication.base, after):
        return Outcome.NOT_COMMITTED
    return Outcome.UNKNOWN


def _shows(after: TableEntry | None, ours: Marker) -> bool:
    marker = Marker.of(after)
    return marker is not None and (marker.commit == ours.commit or ours.commit in marker.lineage)


def _has_left(base: Base, after: TableEntry | None) -> bool:
    """True if the marker moved on from our base by others' commits that we can all see.

    Our request, if it is still under way, is then refused: the value it expects is gone.
    """
    marker = Marker.of(after)
    if marker is None or base.entry is None:
        return False
    if base.marker is None:
        return len(marker.lineage.entries) < MOST_ENTRIES
    return marker.commit != base.marker.commit and base.marker.commit in marker.lineage
