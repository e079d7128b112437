"""What the project wants to reach, and what was measured of it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from statistics import median
from typing import Any

from side_by_side.cases import ARCHIVED, OURS, STOCK, WARM, Build, Sample, samples_of
from side_by_side.summary import Group, groups, ratio
from side_by_side.tables import by_case, of_plain, p95

Figures = Mapping[str, Any]
FIRST, REBUILD = Build.FIRST.value, Build.REBUILD.value
Limits = Mapping[tuple[str, str], float]
OF_STOCK: Limits = {
    (OURS, FIRST): 1.00,
    (OURS, REBUILD): 0.90,
    (ARCHIVED, FIRST): 0.80,
    (ARCHIVED, REBUILD): 0.75,
    (WARM, FIRST): 0.75,
    (WARM, REBUILD): 0.50,
}
"""The most of dbt-spark's time that builds of small models should take."""
OF_STOCK_ON_JAVA_25: Limits = {(ARCHIVED, FIRST): 0.65, (ARCHIVED, REBUILD): 0.60}
OF_STOCK_AT_A_PLACE: Limits = {(OURS, FIRST): 1.05, (OURS, REBUILD): 1.05}
AT_PLACES = (
    "thrift", "local", "standalone", "spark-submit", "s3a-magic", "s3a-renaming", "hdfs",
)  # fmt: skip
LARGE = 1.02
COMMIT_MS, COMMIT_P95_MS = 50, 100
TRACKED = 3
"""The most seconds that the bookkeeping of partitions should take after a commit."""


@dataclass(frozen=True, slots=True)
class Reached:
    """A figure, and the most that it should be."""

    what: str
    measured: float
    limit: float

    @property
    def is_reached(self) -> bool:
        """True if it is not more, as both are shown."""
        return round(self.measured, 2) <= self.limit


def reached(named: Mapping[str, Figures]) -> list[Reached]:
    """Every target whose figures are there."""
    return [
        one for name, targets in TARGETS.items() if name in named for one in targets(named[name])
    ]


def small(figures: Figures, limits: Limits, where: str = "") -> Iterator[Reached]:
    """Of each kind of build that has a limit; ``where`` is said if it is not usual."""
    found = groups(samples_of(figures))
    for one in found:
        limit, of_stock = limits.get((one.competitor, one.build)), ratio(found, one)
        if limit and of_stock:
            yield Reached(f"{where}{_named(one)} / {STOCK}", of_stock, limit)


def _large(figures: Figures) -> Iterator[Reached]:
    timings = figures["timings"]
    for size in dict.fromkeys(one["gigabytes"] for one in timings):
        own = [one for one in timings if one["gigabytes"] == size]
        for what, named, limit in (("seconds", "", LARGE), ("heap_mb", ", heap", 1.0)):
            if (measured := of_plain(own, what)) is not None:
                yield Reached(f"{size:g} GB{named}: staged / plain CTAS", measured, limit)


def _remote_commit(figures: Figures) -> Iterator[Reached]:
    seconds = [[one["commit"] for one in own] for own in by_case(figures["timings"]).values()]
    slowest = max(median(own) for own in seconds) * 1000
    yield Reached("commit, remote metastore: slowest median, ms", slowest, COMMIT_MS)
    highest = max(p95(own) for own in seconds) * 1000
    yield Reached("commit, remote metastore: highest p95, ms", highest, COMMIT_P95_MS)
    later = [[one["afterwards"] for one in own] for own in by_case(figures["timings"]).values()]
    bookkeeping = max(map(median, later))
    yield Reached("2,000 tracked partitions, remote metastore: afterwards, s", bookkeeping, TRACKED)


def tenths_of_largest(samples: Sequence[Sample]) -> dict[str, list[float]]:
    """Of each competitor: seconds for a model, in each tenth of a run of its largest project."""
    in_tenths = [one for one in samples if one.tenths]
    largest = [one for one in in_tenths if one.case == in_tenths[-1].case]
    rounds: dict[str, list[Sequence[float]]] = {}
    for one in largest:
        rounds.setdefault(one.competitor, []).append(one.tenths or ())
    return {
        competitor: [median(column) for column in zip(*own, strict=True)]
        for competitor, own in rounds.items()
    }


def _named(one: Group) -> str:
    return f"{one.case}, {one.build}: {one.competitor}"


TARGETS: Mapping[str, Callable[[Figures], Iterator[Reached]]] = {
    "benchmark-small": partial(small, limits=OF_STOCK),
    "benchmark-small-500": partial(small, limits=OF_STOCK),
    "benchmark-small-java-25": partial(small, limits=OF_STOCK_ON_JAVA_25, where="Java 25, "),
    "benchmark-small-500-java-25": partial(small, limits=OF_STOCK_ON_JAVA_25, where="Java 25, "),
    **{
        f"benchmark-{place}": partial(small, limits=OF_STOCK_AT_A_PLACE, where=f"{place}, ")
        for place in AT_PLACES
    },
    "large_models": _large,
    "commit_time-remote": _remote_commit,
}
