"""bench/results/README.md is what the command writes from the figures that are kept."""

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_the_page_is_that_of_the_kept_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """No figure on it was written by hand, and none is older than its JSON."""
    monkeypatch.syspath_prepend(ROOT / "bench")
    write = runpy.run_path(str(ROOT / "bench" / "evidence.py"))["page"]
    results = ROOT / "bench" / "results"
    assert (results / "README.md").read_text() == write(results)
