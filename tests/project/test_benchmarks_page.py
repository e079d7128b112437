"""docs/benchmarks.md and its plots are what the commands make of the figures that are kept."""

import re
from pathlib import Path

from benchmarks_page import PLOTTED, README_PLOT, README_QUESTION, digest, page

ROOT = Path(__file__).parents[2]
RESULTS, DOCS = ROOT / "bench" / "results", ROOT / "docs"
DIGEST = re.compile(r"figures [0-9a-f]{16}")


def test_the_page_is_that_of_the_kept_figures() -> None:
    """No figure on it was written by hand, and none is older than its JSON."""
    assert (DOCS / "benchmarks.md").read_text() == page(RESULTS)


def test_each_plot_is_of_the_kept_figures() -> None:
    """A plot names the figures that it was drawn from; none shows older ones, or is left over."""
    drawn = {path.name: DIGEST.findall(path.read_text()) for path in DOCS.glob("benchmarks-*.svg")}
    assert drawn == {
        f"benchmarks-{question}.svg": [digest(path)]
        for question in PLOTTED
        if (path := RESULTS / f"benchmark-{question}.json").exists()
    } | {README_PLOT.name: [digest(RESULTS / f"benchmark-{README_QUESTION}.json")]}


def test_a_question_without_figures_has_no_section(tmp_path: Path) -> None:
    """The page says nothing of what was not measured."""
    assert "##" not in page(tmp_path).replace("## Targets", "").replace("## Machines", "")
