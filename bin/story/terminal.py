"""How the story speaks: a heading for each stage with the seconds since its start, and lines."""

import time
from collections.abc import Sequence
from pathlib import Path

_began = time.monotonic()


class DemoError(Exception):
    """Something is not as the story tells it."""


def seconds() -> int:
    """Since the story began."""
    return round(time.monotonic() - _began)


def stage(title: str) -> None:
    """Say what is about to happen."""
    print(f"\n[{seconds():4}s] == {title}", flush=True)


def say(line: str) -> None:
    """Say what was seen; paths of the checkout are shown as from there."""
    print(f"  {line.replace(f'{Path.cwd()}/', '')}".rstrip(), flush=True)


def say_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print rows below their columns; what is a number in every row is aligned to the right."""
    lines = [columns, *rows]
    for cells in lines:
        say("  ".join(_aligned(cells, lines)))


def _aligned(cells: Sequence[str], lines: Sequence[Sequence[str]]) -> list[str]:
    aligned = []
    for number, cell in enumerate(cells):
        width = max(len(line[number]) for line in lines)
        is_number = all(_is_number(line[number]) for line in lines[1:])
        aligned.append(cell.rjust(width) if is_number else cell.ljust(width))
    return aligned


def _is_number(cell: str) -> bool:
    return cell.lstrip("-").replace(".", "").replace(",", "").isdigit() or not cell
