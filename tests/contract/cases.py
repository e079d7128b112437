"""Every catalog x purpose x level x layout that something of the contract is run for."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import cycle, product

import pytest

from contract.behaviours import ALL
from contract.behaviours.registry import Layouts
from contract.claims import CHOICES, CLAIMS, DEFAULT_CHOICES
from contract.contents import LAYOUTS
from contract.purposes import CELLS, cell_behaviour
from contract.subjects import Subject
from dbt.adapters.ctas_spark.staging.context import Atomicity, StagingPurpose

PLAIN_LAYOUT = "parquet"


@dataclass(frozen=True, slots=True)
class Case:
    """A function of the contract on a subject of its own."""

    place: str
    level: Atomicity
    layout: str
    purpose: StagingPurpose
    function: Callable[[Subject], None]
    name: str

    def __str__(self) -> str:
        where = f"{self.place}-{self.level.value}-{self.layout}"
        return f"{where}-{self.purpose.value}-{self.name}"


MakeSubject = Callable[[Case], Subject]


def chosen(config: pytest.Config) -> list[str]:
    """The places of the catalogs that were asked for."""
    choices = config.getoption("--catalog", None) or DEFAULT_CHOICES
    return [place for choice in choices for place in CHOICES[choice]]


def every_pair(config: pytest.Config) -> bool:
    """True if real catalogs, too, are to see each pair of layout and purpose."""
    return bool(config.getoption("--every-pair", None))


def cases(places: Iterable[str], *, pairs: bool) -> Iterator[Case]:
    """All cases of the places; on fakes, and with ``pairs``, each pair of layout and purpose.

    Else each behaviour runs in each layout and for each purpose, and not for each pair; at level
    none, and for the cells of the purposes table, the layouts take turns; and what holds at
    isolated is run again at atomic only where partitions are tracked: else it takes the same way.
    """
    for place in places:
        each = pairs or place.startswith("fakes")
        for level in CLAIMS[place].levels:
            yield from _behaviours(place, level, each_pair=each)
            if each or not _as_isolated(place, level):
                yield from _purposes_table(place, level, each_pair=each)


def _behaviours(place: str, level: Atomicity, *, each_pair: bool) -> Iterator[Case]:
    turns = cycle(LAYOUTS)
    for behaviour in ALL:
        if not behaviour.is_for(CLAIMS[place], level):
            continue
        same = _as_isolated(place, level) and Atomicity.ISOLATED in behaviour.levels
        if same and not each_pair and behaviour.layouts is not Layouts.PARTITIONED:
            continue
        pairs: Iterable[tuple[str, StagingPurpose]]
        names = _names_of(behaviour.layouts)
        if behaviour.layouts is Layouts.ONE:
            pairs = product((PLAIN_LAYOUT,), behaviour.purposes)
        elif each_pair:
            pairs = product(names, behaviour.purposes)
        elif level is Atomicity.NONE or behaviour.layouts is Layouts.TURNS:
            pairs = [(_next_of(turns, names), purpose) for purpose in behaviour.purposes]
        else:
            pairs = zip(names, cycle(behaviour.purposes), strict=False)
        for layout, purpose in pairs:
            function = behaviour.function
            yield Case(place, level, layout, purpose, function, function.__name__)


def _as_isolated(place: str, level: Atomicity) -> bool:
    """True where atomic by name takes the very way of isolated."""
    return level is Atomicity.ATOMIC and Atomicity.ISOLATED in CLAIMS[place].levels


def _next_of(turns: Iterator[str], names: list[str]) -> str:
    return next(name for name in turns if name in names)


def _names_of(layouts: Layouts) -> list[str]:
    partitioned = layouts is Layouts.PARTITIONED
    return [name for name, layout in LAYOUTS.items() if layout.partition_by or not partitioned]


def _purposes_table(place: str, level: Atomicity, *, each_pair: bool) -> Iterator[Case]:
    turns = cycle(LAYOUTS)
    for cell in CELLS:
        for layout in LAYOUTS if each_pair else (next(turns),):
            yield Case(place, level, layout, cell.purpose, cell_behaviour(cell), cell.name)
