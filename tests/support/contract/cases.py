"""Every catalog x purpose x level x layout that something of the contract is run for."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import cycle, product

import pytest

from contract.behaviours import ALL
from contract.behaviours.registry import NONE, Behaviour, Layouts
from contract.claims import CHOICES, CLAIMS, DEFAULT_CHOICES
from contract.contents import LAYOUTS
from contract.places import layouts_at
from contract.purposes import After, cell_behaviour, cells_of
from contract.subjects import Subject
from ctas_spark.context import Atomicity, StagingPurpose

LISTED_LAYOUT = "listed"
TRACKED_LAYOUT = "tracked"


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

    Else each behaviour runs in each layout and for each purpose, and not for each pair, and what
    takes the way of another case is left out: at atomic, all that holds at isolated, unless
    partitions are tracked; at none, refusals, and all purposes but one of what holds elsewhere.
    """
    for place in places:
        each = pairs or place.startswith("fakes")
        for level in CLAIMS[place].levels:
            yield from _behaviours(place, level, each_pair=each)
            if each or not _as_isolated(place, level):
                yield from _purposes_table(place, level, each_pair=each)


def _behaviours(place: str, level: Atomicity, *, each_pair: bool) -> Iterator[Case]:
    layouts = layouts_at(CLAIMS[place], level)
    turns = cycle(layouts)
    for number, behaviour in enumerate(ALL):
        repeats = not each_pair and _takes_the_way_of_isolated(behaviour, place, level)
        names = _names_of(behaviour.layouts, layouts)
        if not behaviour.is_for(CLAIMS[place], level) or repeats or not names:
            continue
        pairs: Iterable[tuple[str, StagingPurpose]]
        if behaviour.layouts is Layouts.ONE:
            pairs = product(layouts[:1], behaviour.purposes)
        elif each_pair:
            pairs = product(names, behaviour.purposes)
        elif level is Atomicity.NONE or behaviour.layouts is Layouts.TURNS:
            purposes = _purposes(behaviour, level, number)
            pairs = [(_next_of(turns, names), purpose) for purpose in purposes]
        else:
            pairs = zip(_different(names), cycle(behaviour.purposes), strict=False)
        for layout, purpose in pairs:
            function = behaviour.function
            yield Case(place, level, layout, purpose, function, function.__name__)


def _takes_the_way_of_isolated(behaviour: Behaviour, place: str, level: Atomicity) -> bool:
    tracked = behaviour.layouts is Layouts.PARTITIONED and CLAIMS[place].tracks
    same = _as_isolated(place, level) and Atomicity.ISOLATED in behaviour.levels
    return same and not tracked


def _purposes(behaviour: Behaviour, level: Atomicity, number: int) -> tuple[StagingPurpose, ...]:
    """All of them; at none, of what holds at other levels too, one: they take turns."""
    if level is not Atomicity.NONE or behaviour.levels == NONE:
        return behaviour.purposes
    return (behaviour.purposes[number % len(behaviour.purposes)],)


def _different(names: list[str]) -> list[str]:
    """But over a table whose partitions are tracked, ``auto`` is the same as ``files``."""
    return [name for name in names if name != LISTED_LAYOUT]


def _as_isolated(place: str, level: Atomicity) -> bool:
    """True where atomic by name takes the very way of isolated."""
    return level is Atomicity.ATOMIC and Atomicity.ISOLATED in CLAIMS[place].levels


def _next_of(turns: Iterator[str], names: list[str]) -> str:
    return next(name for name in turns if name in names)


def _names_of(wanted: Layouts, layouts: Iterable[str]) -> list[str]:
    if wanted is Layouts.PARTITIONED:
        return [name for name in layouts if LAYOUTS[name].partition_by]
    untracked = wanted is Layouts.UNTRACKED
    return [name for name in layouts if not (untracked and name == TRACKED_LAYOUT)]


def _purposes_table(place: str, level: Atomicity, *, each_pair: bool) -> Iterator[Case]:
    layouts = layouts_at(CLAIMS[place], level)
    turns = cycle(layouts)
    for cell in cells_of(CLAIMS[place]):
        if level is Atomicity.NONE and not each_pair and cell.after is not After.OURS:
            continue
        for layout in layouts if each_pair else (next(turns),):
            yield Case(place, level, layout, cell.purpose, cell_behaviour(cell), cell.name)
