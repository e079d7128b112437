"""What is there after a kill: at once, and after the next run and a vacuum."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from faults.eyes import Eyes, Sight
from faults.kill_points import Layout, Point
from faults.numbered import VACUUM
from faults.surplus import Surplus
from functional.dbt_project import Run


@dataclass(frozen=True, slots=True)
class Kill:
    """Where the run that built ``number`` was killed; ``old`` was there before it, if any was.

    ``place`` is what the model's config says of catalog and format.
    """

    layout: Layout
    point: Point
    number: int
    old: int | None
    place: Mapping[str, str]

    def model(self, number: int, *, fails: bool = False) -> Mapping[str, str]:
        """The model's file for a number."""
        return self.layout.model(number, self.place, fails=fails)


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What was not as promised, and how much is there besides live and kept versions."""

    violations: list[str]
    paths: int
    bytes: int
    entries: int
    locks: int


def aftermath(eyes: Eyes, kill: Kill) -> Aftermath:
    """Look, build the next number, vacuum whatever its age, and look again; in this process."""
    promised = _promised(kill)
    violations = list(_differs("after the kill", eyes.sight(), promised))
    kept = frozenset() if promised.number is None else eyes.kept()
    if kill.old is not None and kill.point.is_staged and eyes.surplus(kept) == Surplus():
        violations.append("the kill left nothing, or what it left is not seen")
    following = kill.number + 1
    eyes.project.write(kill.model(following))
    violations += _fails("the next run", eyes.project.dbt("run"))
    violations += _fails("the vacuum", eyes.project.dbt(*VACUUM))
    whole = _whole(kill.layout, following)
    violations += _differs("after the next run", eyes.sight(), whole)
    surplus = eyes.surplus(kept | eyes.kept())
    violations += _differs("left behind", surplus, Surplus())
    locks = eyes.locks()
    violations += _differs("locks", locks, 0)
    return Aftermath(violations, len(surplus.paths), surplus.bytes, len(surplus.entries), locks)


def _promised(kill: Kill) -> Sight:
    number = kill.number if kill.point.is_published else kill.old
    if number is None:
        return Sight(None)
    whole = _whole(kill.layout, number)
    return Sight(number, whole.read_by_spark) if kill.point.is_pending else whole


def _whole(layout: Layout, number: int) -> Sight:
    return Sight(number, (number,), layout.partitions(number))


def _differs(when: str, found: object, expected: object) -> Iterator[str]:
    if found != expected:
        yield f"{when}: {found}, where {expected} is promised"


def _fails(what: str, run: Run) -> Iterator[str]:
    if not run.success:
        yield f"{what} failed: {run.log}"
