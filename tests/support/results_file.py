"""Figures as files of JSON that a person can read and a diff can show."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any


def write_figures(path: Path, figures: Mapping[str, Any]) -> None:
    """Write one line for each figure, and one for each item of a list."""
    path.write_text("{\n" + ",\n".join(_lines(figures)) + "\n}\n")


def _lines(figures: Mapping[str, Any]) -> Iterator[str]:
    for name, value in figures.items():
        shown = json.dumps(value)
        if isinstance(value, list) and any(isinstance(one, (dict, list)) for one in value):
            shown = "[\n" + ",\n".join(f"  {json.dumps(one)}" for one in value) + "\n ]"
        yield f" {json.dumps(name)}: {shown}"
