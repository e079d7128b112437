"""What the project wants to reach, and what was measured of it."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

from side_by_side.cases import ARCHIVED, FLOOR, OURS, STOCK, WARM, Build, Sample, samples_of
from side_by_side.summary import Group, groups, ratio
from side_by_side.tables import by_case, of_plain, p95

Figures = Mapping[str, Any]
BUILDS = {OURS: 0.60, ARCHIVED: 0.50, WARM: 0.25}
START, FLOOR_RATIO, LARGE, TPCH, GROWTH = 0.50, 1.25, 1.02, 1.00, 1.10
COMMIT_MS, COMMIT_P95_MS = 50, 100


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


def _small(figures: Figures) -> Iterator[Reached]:
    found = groups(samples_of(figures))
    for one in found:
        limit, of_stock = BUILDS.get(one.competitor), ratio(found, one)
        if limit and of_stock and one.build != Build.TESTS.value:
            yield Reached(f"{_named(one)} / {STOCK}", of_stock, limit)
    for one in found:
        of_floor = ratio(found, one, FLOOR, "models")
        if of_floor and one.competitor in BUILDS:
            yield Reached(f"{_named(one)} / {FLOOR}, the models alone", of_floor, FLOOR_RATIO)


def _start(figures: Figures) -> Iterator[Reached]:
    found = groups(samples_of(figures))
    for one in found:
        of_stock = ratio(found, one, what="first_node")
        if of_stock and one.competitor in BUILDS:
            what = f"start to the first node, {one.build}: {one.competitor} / {STOCK}"
            yield Reached(what, of_stock, START)


def _tpch(figures: Figures) -> Iterator[Reached]:
    found = groups(samples_of(figures))
    for one in found:
        of_stock = ratio(found, one)
        if of_stock and one.competitor in BUILDS:
            yield Reached(f"TPC-H's queries, {_named(one)} / {STOCK}", of_stock, TPCH)


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


def _models(figures: Figures) -> Iterator[Reached]:
    """The first tenth of a run warms up."""
    for competitor, tenths in tenths_of_largest(samples_of(figures)).items():
        if competitor in BUILDS:
            what = f"{figures['plan']['cases'][-1]}: a model in the last tenth / in the second"
            yield Reached(f"{what}, {competitor}", tenths[-1] / tenths[1], GROWTH)


def _crowd(figures: Figures) -> Iterator[Reached]:
    """What comes after the start, the clean-up at the end included."""
    samples = [one for one in samples_of(figures) if one.build == Build.REBUILD.value]
    cases = list(dict.fromkeys(one.case for one in samples))
    for competitor in dict.fromkeys(one.competitor for one in samples):
        own = [one for one in samples if one.competitor == competitor]
        fewest, most = (_after_start([s for s in own if s.case == cases[at]]) for at in (0, -1))
        if competitor in BUILDS and fewest and most:
            what = f"rebuild next to {cases[-1]} / next to {cases[0]}, {competitor}"
            yield Reached(what, most / fewest, GROWTH)


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


def _after_start(samples: Sequence[Sample]) -> float | None:
    after = [s.seconds - s.first_node for s in samples if s.seconds and s.first_node]
    return median(after) if after else None


def _named(one: Group) -> str:
    return f"{one.case}, {one.build}: {one.competitor}"


TARGETS: Mapping[str, Callable[[Figures], Iterator[Reached]]] = {
    "benchmark-small": _small,
    "benchmark-small-500": _small,
    "benchmark-start": _start,
    "benchmark-tpch": _tpch,
    "benchmark-tpch-5": _tpch,
    "large_models": _large,
    "commit_time-remote": _remote_commit,
    "benchmark-models": _models,
    "benchmark-tables": _crowd,
    "benchmark-versions": _crowd,
}
