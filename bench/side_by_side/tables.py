"""Tables of the figures of one session: commits, and large models."""

from collections.abc import Iterator, Mapping, Sequence
from statistics import median
from typing import Any

from markdown_cells import row, rule

PLAIN, STAGED = "plain CTAS", "staged and published"
LARGE = (
    "GB", "way", "seconds", "from", "to", "of plain", "publication, s", "heap, MB", "of plain",
    "resident, MB", "of plain",
)  # fmt: skip
COMMITS = (
    "files", "partitions", "tracked", "listing, ms", "commit, ms", "p95, ms", "ratio to 1 file",
    "afterwards, ms",
)  # fmt: skip
Timing = Mapping[str, Any]


def large_table(timings: Sequence[Timing]) -> str:
    """Medians of each size and way, and ratios to the plain CTAS of the same size."""
    rows = [row(*LARGE), rule(len(LARGE))]
    for size in dict.fromkeys(one["gigabytes"] for one in timings):
        rows.extend(_large_rows([one for one in timings if one["gigabytes"] == size]))
    return "\n".join(rows)


def of_plain(timings: Sequence[Timing], what: str) -> float | None:
    """A median of the staged builds over that of the plain ones."""
    ours, plain = ([one for one in timings if one["way"] == way] for way in (STAGED, PLAIN))
    return _median(ours, what) / _median(plain, what) if ours and plain else None


def commit_table(timings: Sequence[Timing]) -> str:
    """Medians of each case, and ratios to the first one."""
    rows = [row(*COMMITS), rule(len(COMMITS))]
    cases = by_case(timings)
    first = _median(next(iter(cases.values())), "commit")
    for own in cases.values():
        case, commit = own[0]["case"], _median(own, "commit")
        rows.append(
            row(
                f"{case['files']:,}",
                f"{case['partitions']:,}",
                "yes" if case["tracked"] else "no",
                f"{_median(own, 'listing') * 1000:.0f}",
                f"{commit * 1000:.0f}",
                f"{p95([one['commit'] for one in own]) * 1000:.0f}",
                f"{commit / first:.2f}",
                f"{_median(own, 'afterwards') * 1000:.0f}",
            )
        )
    return "\n".join(rows)


def by_case(timings: Sequence[Timing]) -> dict[str, list[Timing]]:
    """The commits of each case."""
    cases: dict[str, list[Timing]] = {}
    for one in timings:
        cases.setdefault(str(one["case"]), []).append(one)
    return cases


def p95(values: Sequence[float]) -> float:
    """The smallest value that at least 95 of 100 do not exceed."""
    return sorted(values)[-(-len(values) * 95 // 100) - 1]


def _large_rows(timings: Sequence[Timing]) -> Iterator[str]:
    plain = [one for one in timings if one["way"] == PLAIN]
    for way in (PLAIN, STAGED):
        own = [one for one in timings if one["way"] == way]
        if not (own and plain):
            continue
        seconds = [one["seconds"] for one in own]
        cells = [f"{one:.1f}" for one in (median(seconds), min(seconds), max(seconds))]
        cells.append(f"{_median(own, 'seconds') / _median(plain, 'seconds'):.3f}")
        cells.append(f"{_median(own, 'publication'):.2f}" if way == STAGED else "")
        for what in ("heap_mb", "resident_mb"):
            used = _median(own, what)
            cells += f"{used:.0f}", f"{used / _median(plain, what):.2f}"
        yield row(f"{own[0]['gigabytes']:g}", way, *cells)


def _median(timings: Sequence[Timing], what: str) -> float:
    return float(median(one[what] for one in timings))
