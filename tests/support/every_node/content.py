"""What a node holds after each round, so that a part of one round, or a mix of two, is visible.

A round writes ``ROWS`` rows that name it. A node whose rows are replaced holds those of one round,
one whose rows are added those of every round so far, and a snapshot knows that only the rows of
the last one are valid.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Any

from readers.content import Column, WrongContentError

ROWS = 50
PARTS = 2
Row = tuple[int, int, int]


class Shape(str, Enum):
    """What rows a node has after some rounds."""

    REPLACED = "replaced"
    ADDED = "added"
    SNAPPED = "snapped"


def rows(number: int) -> list[Row]:
    """The rows of a round, each with its id, the round and its part."""
    return [(i, number, i % PARTS) for i in range(ROWS)]


def csv(number: int) -> str:
    """The same as a file of a seed."""
    return "".join(f"{','.join(map(str, row))}\n" for row in [("id", "v", "part"), *rows(number)])


def inspect(shape: Shape, schema: Sequence[Column], seen: Sequence[Sequence[Any]]) -> int:
    """Return the last round that the rows ``seen`` are of.

    Raises:
        WrongContentError: as ``readers.content.inspect`` says.
    """
    if not seen:
        raise WrongContentError("empty")
    names = [name for name, _ in schema]
    named = [dict(zip(names, row, strict=True)) for row in seen]
    found: Counter[Row] = Counter((row["id"], row["v"], row["part"]) for row in named)
    last = max(version for _, version, _ in found)
    rounds = range(last if shape is Shape.REPLACED else 1, last + 1)
    _check(found, Counter(row for number in rounds for row in rows(number)))
    if shape is Shape.SNAPPED:
        _check_valid(last, named)
    return last


def _check(found: Counter[Row], expected: Counter[Row]) -> None:
    if found - expected:
        raise WrongContentError(f"mixed: rows by round {_by_round(found)}")
    if expected - found:
        raise WrongContentError(f"partial: rows by round {_by_round(found)}")


def _check_valid(last: int, named: Iterable[Mapping[str, Any]]) -> None:
    valid = {row["v"] for row in named if row["dbt_valid_to"] is None}
    closed = {row["v"] for row in named if row["dbt_valid_to"] is not None}
    if valid != {last} or last in closed:
        raise WrongContentError(f"mixed: of rounds {sorted(valid)}, records are valid")


def _by_round(found: Counter[Row]) -> dict[int, int]:
    counts: Counter[int] = Counter()
    for (_, number, _), count in found.items():
        counts[number] += count
    return dict(sorted(counts.items()))
