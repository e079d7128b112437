"""Medians, spreads and ratios of a question's builds."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from markdown_cells import row, rule
from side_by_side.cases import NAMES, STOCK, Sample

HEAD = (
    "case", "build", "competitor", "seconds", "from", "to", "of dbt-spark", "to the first node",
    "models alone",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Group:
    """The builds of one case by one competitor; times are medians of the rounds."""

    case: str
    build: str
    competitor: str
    seconds: Sequence[float]
    first_node: float | None
    models: float | None
    failed: str | None

    @property
    def median(self) -> float | None:
        """Of the wall clock; None if none succeeded."""
        return median(self.seconds) if self.seconds else None


def groups(samples: Sequence[Sample]) -> list[Group]:
    """In the order of cases, builds and competitors."""
    keys = dict.fromkeys((one.case, one.build, one.competitor) for one in samples)
    cases, builds = ([*dict.fromkeys(one[at] for one in keys)] for at in (0, 1))
    names = dict.fromkeys([*NAMES, *(one.competitor for one in samples)])
    orders = (cases, builds, [*names])
    in_order = sorted(
        keys, key=lambda key: [names.index(one) for names, one in zip(orders, key, strict=True)]
    )
    return [_group(samples, *key) for key in in_order]


def ratio(
    found: Sequence[Group], one: Group, to: str = STOCK, what: str = "median"
) -> float | None:
    """A group's median over that of another competitor in the same case and build."""
    other = next(
        (g for g in found if (g.case, g.build, g.competitor) == (one.case, one.build, to)), None
    )
    own, theirs = getattr(one, what), getattr(other, what, None)
    return own / theirs if own is not None and theirs else None


def table(samples: Sequence[Sample]) -> str:
    """All of it, in Markdown."""
    return "\n".join(_rows(groups(samples)))


def _rows(found: Sequence[Group]) -> Iterator[str]:
    yield row(*HEAD)
    yield rule(len(HEAD))
    for one in found:
        what = (one.case, one.build, one.competitor)
        if one.median is None:
            yield row(*what, "failed", *[""] * (len(HEAD) - 4))
            continue
        times = (one.median, min(one.seconds), max(one.seconds))
        of_stock = ratio(found, one)
        yield row(
            *what,
            *(f"{time:.1f}" for time in times),
            "" if of_stock is None else f"{of_stock:.2f}",
            *("" if time is None else f"{time:.1f}" for time in (one.first_node, one.models)),
        )


def _group(samples: Sequence[Sample], case: str, build: str, competitor: str) -> Group:
    own = [s for s in samples if (s.case, s.build, s.competitor) == (case, build, competitor)]
    good = [one for one in own if not one.failed]
    failed = next((one.failed for one in own if one.failed), None)
    seconds = [one.seconds for one in good if one.seconds is not None]
    first_nodes = [one.first_node for one in good if one.first_node is not None]
    models = [one.models for one in good if one.models is not None]
    return Group(
        case, build, competitor, seconds,
        median(first_nodes) if first_nodes else None,
        median(models) if models else None,
        failed,
    )  # fmt: skip
