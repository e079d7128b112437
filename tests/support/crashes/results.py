"""How many points were tried, and how many were survived: as a table, and as JSON."""

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from pathlib import Path

from crashes.cases import Case, Extent
from crashes.points import Point
from crashes.trial import Mending
from ctas_spark.steps import Step
from results_file import write_figures
from servers.versions import versions


@dataclass(frozen=True, slots=True)
class Result:
    """One crash, and whether all was well after it."""

    catalog: str
    level: str
    layout: str
    scenario: str
    by_branch: bool
    step: str
    side: str
    turn: int
    mended_by: str
    green: bool

    @classmethod
    def of(cls, case: Case, point: Point, mending: Mending, *, green: bool) -> "Result":
        """The result of one trial."""
        return cls(
            catalog=case.place,
            level=case.level.value,
            layout=case.layout,
            scenario=case.scenario.name,
            by_branch=case.scenario.where.branches,
            step=point.step.value,
            side=point.side,
            turn=point.turn,
            mended_by=mending.value,
            green=green,
        )


@dataclass(slots=True)
class Results:
    """Of every trial, in the order in which they were made."""

    all: list[Result] = field(default_factory=list)

    def lack(self, case: Case, moment: Iterable[Point]) -> bool:
        """True if a side of a step was not yet tried there, by a branch or not.

        Briefly, one level is enough.
        """
        any_level = case.extent is Extent.BRIEF
        tried = {
            (one.step, one.side)
            for one in self.all
            if (one.catalog, one.layout) == (case.place, case.layout)
            and one.by_branch == case.scenario.where.branches
            and (any_level or one.level == case.level.value)
        }
        return not {(point.step.value, point.side) for point in moment} <= tried

    def write(self, path: Path) -> None:
        """As JSON: how many of each step, catalog, level and layout, and the sum."""
        cells = [
            {"step": step, "catalog": catalog, "level": level, "layout": layout, **_count(found)}
            for (step, catalog, level, layout), found in self._cells(
                lambda one: (one.step, one.catalog, one.level, one.layout)
            )
        ]
        failed = [asdict(one) for one in self.all if not one.green]
        report = {
            **_count(self.all),
            "cells": cells,
            "failed": failed,
            "finished": datetime.now(tz=timezone.utc).isoformat(timespec="seconds"),
            "cores": os.cpu_count(),
            "on": versions(),
        }
        write_figures(path, report)

    def lines(self) -> Iterator[str]:
        """A table for each catalog: steps x layouts, survived of tried."""
        for catalog in dict.fromkeys(one.catalog for one in self.all):
            own = [one for one in self.all if one.catalog == catalog]
            layouts = list(dict.fromkeys(one.layout for one in own))
            yield ""
            yield _row(catalog, layouts)
            for step in Step:
                of_step = [one for one in own if one.step == step.value]
                yield _row(step.value, [_of_layout(of_step, layout) for layout in layouts])
            yield _row("all", [_of_layout(own, layout) for layout in layouts])

    def _cells(
        self, key: Callable[[Result], tuple[str, ...]]
    ) -> Iterator[tuple[tuple[str, ...], list[Result]]]:
        cells: dict[tuple[str, ...], list[Result]] = {}
        for one in self.all:
            cells.setdefault(key(one), []).append(one)
        yield from cells.items()


def _count(found: Iterable[Result]) -> dict[str, int]:
    green = [one.green for one in found]
    return {"points": len(green), "green": sum(green)}


def _of_layout(found: Iterable[Result], layout: str) -> str:
    count = _count(one for one in found if one.layout == layout)
    return f"{count['green']}/{count['points']}" if count["points"] else "-"


def _row(name: str, cells: Iterable[str]) -> str:
    return f"{name:<20}" + "".join(f"{cell:>13}" for cell in cells)
