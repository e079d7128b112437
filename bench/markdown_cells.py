"""The cells of Markdown's tables, and what stands in them."""

from collections.abc import Mapping
from typing import Any

Figures = Mapping[str, Any]


def listed(counts: Mapping[str, int], nothing: str = "none") -> str:
    """What was counted, without zeros."""
    found = [f"{count} {name}" for name, count in counts.items() if count]
    return ", ".join(found) or nothing


def minutes(figures: Figures) -> str:
    """How long a run took; empty if its figures do not say."""
    return f"{figures['seconds'] / 60:.0f}" if "seconds" in figures else ""


def link(name: str) -> str:
    """A link to the figures."""
    return f"[{name}.json]({name}.json)"


def row(*cells: object) -> str:
    """A line of a table."""
    return "| " + " | ".join(map(str, cells)) + " |"


def rule(columns: int) -> str:
    """The line below a table's head."""
    return "|---" * columns + "|"
