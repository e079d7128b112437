"""Ids of publications that tests can name: by their place among those of a target."""

from ctas_spark.publish.marker import (
    Lineage,
    LineageEntry,
    Marker,
    PublicationKind,
)


def commit(order: int, version: str = "") -> str:
    """The id of the publication at that place, by default of a version called after it."""
    return f"{order:013d}_{version or f'v{order}'}_00000000"


def marker(target: str, *commits: str, life: str = "", level: str = "isolated") -> Marker:
    """A target's marker; its commits stand newest first, and the last one began its life."""
    entries = [
        LineageEntry(one, PublicationKind.BUILD, landed_ms=place)
        for place, one in enumerate(commits)
    ]
    version = commits[0].split("_")[1]
    lineage = Lineage(tuple(entries))
    return Marker(commits[0], version, "", target, level, lineage, life or commits[-1])
