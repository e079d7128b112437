"""Draw the plots of docs/benchmarks.md from the figures in bench/results.

    python bench/benchmarks_plots.py

It needs requirements/plots.txt. Each plot names the figures that it was drawn from, and is the same
whenever it is drawn from them.
"""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from benchmarks_page import PLOTTED, README_PLOT, README_QUESTION, RESULTS, ROOT, digest
from side_by_side.cases import ARCHIVED, NAMES, OURS, STOCK, WARM, Sample, samples_of
from side_by_side.summary import Group, groups
from side_by_side.targets import tenths_of_largest

DOCS = ROOT / "docs"
README = (OURS, ARCHIVED, WARM, STOCK)
"""The competitors in README's plot; all are on the page."""
SALT = "dbt-ctas-spark"
"""Of the ids in an SVG, which would else be random."""
HUES = (
    *("#9a3412", "#c2410c", "#ea8a3c", "#f5b971", "#475569", "#94a3b8", "#ca8a04"),
    "#0f766e",
)
COLOURS = defaultdict(lambda: "black", zip(NAMES, HUES, strict=True))
PALE = 0.5
"""From this lightness on, black text on a bar is read more easily than white text."""


def main() -> None:
    """Draw those whose figures are kept, and remove the others."""
    mpl.rcParams.update({"svg.hashsalt": SALT, "font.size": 9, "svg.fonttype": "none"})
    for question in PLOTTED:
        figures, plot = RESULTS / f"benchmark-{question}.json", DOCS / f"benchmarks-{question}.svg"
        plot.unlink(missing_ok=True)
        if figures.exists():
            _save(_drawn(question, samples_of(json.loads(figures.read_text()))), plot, figures)
    figures = RESULTS / f"benchmark-{README_QUESTION}.json"
    samples = samples_of(json.loads(figures.read_text()))
    shown = [one for one in samples if one.competitor in README]
    _save(_bars(groups(shown), "median"), README_PLOT, figures)


def _save(drawn: Figure, plot: Path, figures: Path) -> None:
    metadata = {"Date": None, "Description": digest(figures)}
    drawn.savefig(plot, format="svg", metadata=metadata, bbox_inches="tight")
    plot.write_text("\n".join(line.rstrip() for line in plot.read_text().splitlines()) + "\n")


def _drawn(question: str, samples: Sequence[Sample]) -> Figure:
    if question == "models":
        return _tenths(samples)
    return _bars(groups(samples), "first_node" if question == "start" else "median")


def _bars(found: Sequence[Group], what: str) -> Figure:
    """A bar for each competitor, the fastest on top, in a panel for each build of each case."""
    own = [one for one in found if getattr(one, what) is not None]
    panels = [*dict.fromkeys((one.case, one.build) for one in own)]
    figure = Figure(figsize=(7.5, 0.6 + 0.32 * len(own)), layout="constrained")
    heights = [sum((one.case, one.build) == panel for one in own) for panel in panels]
    axes = figure.subplots(len(panels), sharex=True, height_ratios=heights, squeeze=False)[:, 0]
    for axis, panel in zip(axes, panels, strict=True):
        _panel(axis, [one for one in own if (one.case, one.build) == panel], what)
        axis.set_title(", ".join(panel), loc="left", fontsize=9)
    axes[-1].set_xlabel("seconds to the first node" if what == "first_node" else "seconds")
    return figure


def _panel(axis: Axes, found: Sequence[Group], what: str) -> None:
    ordered = sorted(found, key=lambda one: getattr(one, what), reverse=True)
    values = [getattr(one, what) for one in ordered]
    names = [one.competitor for one in ordered]
    bars = axis.barh(names, values, color=[COLOURS[name] for name in names])
    if what == "median":
        lows = [value - min(one.seconds) for one, value in zip(ordered, values, strict=True)]
        highs = [max(one.seconds) - value for one, value in zip(ordered, values, strict=True)]
        axis.errorbar(values, names, xerr=(lows, highs), fmt="none", ecolor="black", linewidth=0.8)
    labels = axis.bar_label(bars, [f"{value:.1f}" for value in values], label_type="center")
    for label, name in zip(labels, names, strict=True):
        label.set_color("black" if _lightness(COLOURS[name]) > PALE else "white")
    axis.spines[["top", "right"]].set_visible(False)
    axis.margins(x=0.1)


def _lightness(colour: str) -> float:
    """From 0 to 1, as the eye sees it (Rec. 709)."""
    red, green, blue = mpl.colors.to_rgb(colour)
    return float(0.2126 * red + 0.7152 * green + 0.0722 * blue)


def _tenths(samples: Sequence[Sample]) -> Figure:
    """What a model cost, from the first tenth of the largest project to the last."""
    lines = {
        competitor: {str(at): one * 1000 for at, one in enumerate(tenths, 1)}
        for competitor, tenths in tenths_of_largest(samples).items()
    }
    return _plotted(lines, "tenth of the run", "ms for a model")


def _plotted(lines: Mapping[str, Mapping[str, float]], x: str, y: str) -> Figure:
    figure = Figure(figsize=(7.5, 3), layout="constrained")
    axis = figure.subplots()
    for competitor, points in lines.items():
        colour = COLOURS[competitor]
        axis.plot([*points], [*points.values()], "o-", color=colour, label=competitor)
    highest = max(one for points in lines.values() for one in points.values())
    axis.set(xlabel=x, ylabel=y, ylim=(0, highest * 1.1))
    axis.spines[["top", "right"]].set_visible(False)
    axis.legend(frameon=False)
    return figure


if __name__ == "__main__":
    main()
