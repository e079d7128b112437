"""Every catalog x level x layout x scenario that crashes are tried in."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import product

import pytest

from contract.claims import CHOICES, CLAIMS
from contract.contents import LAYOUTS
from contract.places import layouts_at
from crashes.scenarios import SCENARIOS, Scenario
from ctas_spark.context import Atomicity

DEFAULT_CHOICES = ("fakes", "hive_embedded")
UNPARTITIONED = "parquet"
TRACKED = "tracked"


class Extent(Enum):
    """How much of a matrix is tried."""

    BRIEF = "each side of each step once in two layouts"
    STEPS = "each side of each step once at each level in each layout"
    POINTS = "each moment of each scenario at each level in each layout"


@dataclass(frozen=True, slots=True)
class Case:
    """One scenario on one catalog, at one level, in one layout."""

    place: str
    level: Atomicity
    layout: str
    scenario: Scenario
    extent: Extent

    def __str__(self) -> str:
        return f"{self.place}-{self.level.value}-{self.layout}-{self.scenario.name}"


def chosen(config: pytest.Config) -> list[str]:
    """The places of the catalogs that were asked for."""
    choices = config.getoption("--catalog") or DEFAULT_CHOICES
    return [place for choice in choices for place in CHOICES[choice]]


def extent(config: pytest.Config) -> Extent:
    """What was asked for on real catalogs."""
    if config.getoption("--every-point"):
        return Extent.POINTS
    return Extent.STEPS if config.getoption("--every-layout") else Extent.BRIEF


def cases(places: Iterable[str], on_real: Extent) -> Iterator[Case]:
    """All cases of the places; fakes are fast, so that each moment of theirs is always tried."""
    for place in places:
        of_place = Extent.POINTS if place.startswith("fakes") else on_real
        yield from _brief(place) if of_place is Extent.BRIEF else _whole(place, of_place)


def _whole(place: str, extent: Extent) -> Iterator[Case]:
    claim = CLAIMS[place]
    for level in claim.levels:
        for layout, scenario in product(layouts_at(claim, level), SCENARIOS):
            wanted = scenario.brief or extent is Extent.POINTS
            if wanted and scenario.where.includes(claim, level, LAYOUTS[layout]):
                yield Case(place, level, layout, scenario, extent)


def _brief(place: str) -> Iterator[Case]:
    """Unpartitioned at the strongest level that the scenario allows; and tracked."""
    claim = CLAIMS[place]
    layouts = (claim.native_format,) if claim.native_format else (UNPARTITIONED, TRACKED)
    for layout, scenario in product(layouts, SCENARIOS):
        levels = [level for level in claim.levels if layout in layouts_at(claim, level)]
        fit = [level for level in levels if scenario.where.includes(claim, level, LAYOUTS[layout])]
        if scenario.brief and fit:
            yield Case(place, fit[0], layout, scenario, Extent.BRIEF)
