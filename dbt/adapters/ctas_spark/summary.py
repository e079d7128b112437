"""The tables that an invocation has written, as one table at its end."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ctas_spark.context import Atomicity
from ctas_spark.engines.protocol import WriteFigures
from dbt.adapters.ctas_spark.text_tables import count_text, size_text, text_of

MOST_ROWS = 40
IN_PLACE = (
    "Tables at level none were written in place; with atomicity: isolated, one commit publishes "
    "all rows."
)
HIDDEN = (
    "Spark finds the partitions of {} by listing directories; other engines, which ask the "
    "metastore for them, find no rows. If some read it, set partition_metadata: tracked."
)
MOST_NAMES = 3


@dataclass(frozen=True, slots=True)
class Written:
    """A node's table; one that is not published as a version has neither version nor level.

    ``hides_partitions``: it is new, and by default its partitions are Spark's alone.
    """

    node: str
    name: str
    figures: WriteFigures
    seconds: float = 0.0
    version: str = ""
    level: Atomicity | None = None
    hides_partitions: bool = False

    @classmethod
    def by(cls, node: Any, figures: WriteFigures, **published: Any) -> "Written":
        """What this node of dbt's has written."""
        return cls(node.unique_id, node.search_name, figures, **published)

    def and_then(self, batch: "Written") -> "Written":
        """Together with another batch of the same microbatch model."""
        figures = WriteFigures(
            rows=_sum(self.figures.rows, batch.figures.rows),
            bytes=_sum(self.figures.bytes, batch.figures.bytes),
        )
        levels = [one for one in (self.level, batch.level) if one]
        return Written(
            self.node,
            self.name,
            figures,
            self.seconds + batch.seconds,
            level=min(levels, key=lambda one: one.strength, default=None),
            hides_partitions=self.hides_partitions or batch.hides_partitions,
        )


def summary(written: Sequence[Written]) -> str:
    """A heading and a row for each node, in the order in which they ended."""
    nodes: dict[str, Written] = {}
    for one in written:
        before = nodes.get(one.node)
        nodes[one.node] = before.and_then(one) if before else one
    heading, shown = "Tables written by this run", list(nodes.values())
    if len(shown) > MOST_ROWS:
        slowest = set(sorted(nodes, key=lambda node: -nodes[node].seconds)[:MOST_ROWS])
        heading += f", the {MOST_ROWS} of {len(shown):,} that took longest"
        heading += " (all are in run_results.json)"
        shown = [one for one in shown if one.node in slowest]
    table = f"{heading}:\n{text_of(_rows(shown), as_json=False)}"
    is_in_place = any(one.level is Atomicity.NONE for one in nodes.values())
    hidden = [one.name for one in nodes.values() if one.hides_partitions]
    notes = [*([IN_PLACE] if is_in_place else []), *_of_hidden(hidden)]
    return "\n".join((table, *notes))


def _of_hidden(names: Sequence[str]) -> list[str]:
    """One line when tables are new, whatever their number."""
    if not names:
        return []
    rest = len(names) - MOST_NAMES
    more = [f"{rest} more"] if rest > 0 else []
    return [HIDDEN.format(", ".join((*names[:MOST_NAMES], *more)))]


def _rows(shown: Sequence[Written]) -> list[Mapping[str, str]]:
    """The cells by column; a column in which nothing is known is left out."""
    columns = {
        "model": [one.name for one in shown],
        "version": [one.version for one in shown],
        **_aligned("rows", [count_text(one.figures.rows) for one in shown]),
        **_aligned("size", [size_text(one.figures.bytes) for one in shown]),
        "level": _levels(shown),
        **_aligned("seconds", [f"{one.seconds:.1f}" for one in shown]),
    }
    known = {name: cells for name, cells in columns.items() if "".join(cells).strip()}
    return [dict(zip(known, cells, strict=True)) for cells in zip(*known.values(), strict=True)]


def _levels(shown: Sequence[Written]) -> list[str]:
    """Nothing at all if every level is the strongest."""
    levels = [one.level.value if one.level else "" for one in shown]
    return [] if {*levels} <= {"", Atomicity.ISOLATED.value} else levels


def _aligned(name: str, cells: Sequence[str]) -> dict[str, list[str]]:
    """A column with its texts at the right."""
    width = max(map(len, (name, *cells)))
    return {name.rjust(width): [cell.rjust(width) for cell in cells]}


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other
