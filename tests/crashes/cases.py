"""Every catalog x level x layout x scenario that crashes are tried in."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import product

import pytest

from contract.claims import CHOICES, CLAIMS
from contract.contents import LAYOUTS
from crashes.scenarios import SCENARIOS, Scenario
from dbt.adapters.ctas_spark.staging.context import Atomicity

DEFAULT_CHOICES = ("fakes", "hive_embedded")
UNPARTITIONED = "parquet"
TRACKED = "partitioned"


@dataclass(frozen=True, slots=True)
class Case:
    """One scenario on one catalog, at one level, in one layout.

    ``brief``: each side of a step is tried in one scenario, and not in each that comes by it.
    """

    place: str
    level: Atomicity
    layout: str
    scenario: Scenario
    brief: bool

    def __str__(self) -> str:
        return f"{self.place}-{self.level.value}-{self.layout}-{self.scenario.name}"


def chosen(config: pytest.Config) -> list[str]:
    """The places of the catalogs that were asked for."""
    choices = config.getoption("--catalog") or DEFAULT_CHOICES
    return [place for choice in choices for place in CHOICES[choice]]


def cases(places: Iterable[str], *, every_point: bool) -> Iterator[Case]:
    """All cases of the places; on real catalogs only the brief ones, unless all are asked for."""
    for place in places:
        if every_point or place.startswith("fakes"):
            yield from _whole(place)
        else:
            yield from _brief(place)


def _whole(place: str) -> Iterator[Case]:
    for level, layout, scenario in product(CLAIMS[place].levels, LAYOUTS, SCENARIOS):
        if scenario.is_for(CLAIMS[place], level, LAYOUTS[layout]):
            yield Case(place, level, layout, scenario, brief=False)


def _brief(place: str) -> Iterator[Case]:
    """Unpartitioned at the strongest level that the scenario allows; partitioned and tracked."""
    claim = CLAIMS[place]
    for layout, scenario in product((UNPARTITIONED, TRACKED), SCENARIOS):
        levels = claim.levels if layout == UNPARTITIONED else (Atomicity.ATOMIC,)
        fit = [level for level in levels if scenario.is_for(claim, level, LAYOUTS[layout])]
        if scenario.brief and fit:
            yield Case(place, fit[0], layout, scenario, brief=True)
