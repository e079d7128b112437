"""Write docs/benchmarks.md from the figures in bench/results.

    python bench/benchmarks_page.py

It measures nothing. A unit test compares the page with what this writes. A question whose figures
are not kept has no section.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from markdown_cells import row, rule
from side_by_side.cases import samples_of
from side_by_side.held import what_holds, what_holds_at
from side_by_side.prose import (
    COMMITS,
    COMPETITORS,
    COMPILERS,
    HEAD,
    LARGE,
    MACHINES,
    METHOD,
    PROFILE,
    SECTIONS,
    TARGETS,
    TRIED,
)
from side_by_side.summary import table
from side_by_side.tables import commit_table, large_table
from side_by_side.targets import AT_PLACES, reached, tenths_of_largest

ROOT = Path(__file__).resolve().parents[1]
RESULTS, PAGE = ROOT / "bench" / "results", ROOT / "docs" / "benchmarks.md"
Figures = Mapping[str, Any]
PLOTTED = ("small", "start", "tpch", "models")
"""The questions that bench/benchmarks_plots.py has a plot for."""
README_QUESTION, README_PLOT = "small", ROOT / "docs" / "benchmarks-readme.svg"
PROFILES = {
    "where_time_goes": "Where the time of small models goes",
    "where_time_goes-start": "Where the time of a start goes",
}
IDLE = 0.1
COUNTED = 10
"""Larger limits are milliseconds, and no ratios."""


def main() -> None:
    """Write the page."""
    PAGE.write_text(page(RESULTS))


def page(results: Path) -> str:
    """The whole page of a directory of figures."""
    named = {path.stem: json.loads(path.read_text()) for path in sorted(results.glob("*.json"))}
    lines = [HEAD, *_competitors(named)]
    for question, (title, about) in SECTIONS.items():
        if figures := named.get(f"benchmark-{question}"):
            lines.extend(_section(question, title, about, figures))
    if figures := named.get("large_models"):
        lines.extend(["## Large models\n", f"{_file('large_models')} {LARGE}"])
        lines.extend([large_table(figures["timings"]), ""])
    for name in ("commit_time", "commit_time-remote"):
        if figures := named.get(name):
            where = figures.get("metastore", "embedded")
            lines.extend(
                [f"## Commits on {_article(where)} metastore\n", f"{_file(name)} {COMMITS}"]
            )
            lines.extend([commit_table(figures["timings"]), ""])
    for name, title in PROFILES.items():
        if figures := named.get(name):
            lines.extend(_profile(name, title, figures))
    return "\n".join([*lines, *_targets(named), *_machines(named)])


def digest(figures: Path) -> str:
    """What the plot of a file of figures says of them."""
    return f"figures {hashlib.sha256(figures.read_bytes()).hexdigest()[:16]}"


def _competitors(named: Mapping[str, Figures]) -> Iterator[str]:
    present = {one["competitor"] for f in named.values() for one in f.get("samples", ())}
    if present:
        yield row("competitor", "what it is")
        yield rule(2)
        yield from (row(f"`{one}`", what) for one, what in COMPETITORS.items() if one in present)
        yield METHOD


def _targets(named: Mapping[str, Figures]) -> Iterator[str]:
    yield "## Targets\n"
    yield TARGETS
    yield row("figure", "measured", "at most", "reached")
    yield rule(4)
    for one in reached(named):
        shown = f"{one.measured:.2f}" if one.limit < COUNTED else f"{one.measured:.0f}"
        yield row(one.what, shown, f"{one.limit:g}", "yes" if one.is_reached else "**no**")
    yield ""
    small = [named[one] for one in ("benchmark-small", "benchmark-small-500") if one in named]
    held = [line for figures in small for line in what_holds(figures)]
    for place in AT_PLACES:
        if figures := named.get(f"benchmark-{place}"):
            held += what_holds_at(place, figures)
    if held:
        yield "Where the time goes in builds of small models that miss their targets:\n"
        yield from [*held, "", TRIED]


def _section(question: str, title: str, about: str, figures: Figures) -> Iterator[str]:
    rounds = figures["plan"]["rounds"]
    name = f"benchmark-{question}"
    yield f"## {title}\n"
    yield f"{about} {_file(name)} {rounds} {'round' if rounds == 1 else 'rounds'}.\n"
    if question in PLOTTED:
        yield f"![{title}: the table below as a plot](benchmarks-{question}.svg)\n"
    samples = samples_of(figures)
    yield table(samples)
    yield ""
    for competitor, why in {s.competitor: s.failed for s in samples if s.failed}.items():
        yield f"`{competitor}` failed: {' '.join(str(why).split())}\n"
    if question == "models":
        yield from _tenths(figures)


def _tenths(figures: Figures) -> Iterator[str]:
    yield f"Milliseconds for a model, in each tenth of the run of {figures['plan']['cases'][-1]}:\n"
    found = tenths_of_largest(samples_of(figures))
    yield row("competitor", *range(1, 11))
    yield rule(11)
    for competitor, tenths in found.items():
        yield row(competitor, *(f"{one * 1000:.0f}" for one in tenths))
    yield ""


def _profile(name: str, title: str, figures: Figures) -> Iterator[str]:
    models = figures["models"]
    yield f"## {title}\n"
    yield f"{_file(name)} {models} {'model' if models == 1 else 'models'} of one row, rebuilt."
    yield PROFILE
    competitors = figures["shares"]
    yield row("code", *competitors)
    yield rule(1 + len(competitors))
    for group in next(iter(competitors.values())):
        yield row(group, *(f"{shares[group]:.0%}" for shares in competitors.values()))
    yield row("seconds of just-in-time compilers", *figures["compilers"].values())
    yield row("seconds of pauses for garbage", *figures["pauses"].values())
    seconds = figures["seconds of the rebuild"]
    yield row("seconds of the whole rebuild", *(f"{one:.1f}" for one in seconds.values()))
    yield ""
    if models > 1:
        yield COMPILERS.format(cores=figures["cores"])


def _machines(named: Mapping[str, Figures]) -> Iterator[str]:
    measured = {
        name: figures
        for name, figures in named.items()
        if name.startswith(("benchmark-", "commit_time", "large_models", "where_time_goes"))
    }
    yield "## Machines and versions\n"
    yield MACHINES
    yield row("figures", "finished", "commit", "processor", "cores", "memory", "load", "busy")
    yield rule(8)
    for name, figures in measured.items():
        machine, busy = figures.get("machine", {}), _busiest(figures)
        yield row(
            _link(name),
            figures["finished"][:10],
            figures["on"]["dbt-ctas-spark"],
            machine.get("processor", "not kept"),
            figures["cores"],
            f"{machine['memory, GB']} GB" if "memory, GB" in machine else "not kept",
            figures.get("load before", "not kept"),
            "not kept" if busy is None else f"{busy:.0%}{'' if busy <= IDLE else ', not idle'}",
        )
    yield ""
    around: dict[str, list[str]] = {}
    for name, figures in measured.items():
        others = {what: v for what, v in figures["on"].items() if what != "dbt-ctas-spark"}
        for pins in figures.get("environments", {}).values():
            others |= {what: v for what, v in pins.items() if what not in others}
        said = ", ".join(f"{what} {version}" for what, version in others.items())
        around.setdefault(said, []).append(name)
    for said, names in around.items():
        yield f"Versions of {', '.join(names)}: {said}.\n"


def _busiest(figures: Figures) -> float | None:
    rows = figures.get("samples") or figures.get("timings") or ()
    kept = [one["busy"] for one in rows if one.get("busy") is not None]
    return max(kept, default=None)


def _article(noun: str) -> str:
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def _link(name: str) -> str:
    return f"[{name}.json](../bench/results/{name}.json)"


def _file(name: str) -> str:
    return f"{_link(name)}:"


if __name__ == "__main__":
    main()
