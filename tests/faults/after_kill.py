"""What is there after a kill: at once, and after the next run and a vacuum."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from pyspark.errors import AnalysisException

from faults.kill_points import Layout, Point
from faults.numbered import TABLE, Numbered
from faults.surplus import Surplus
from functional.dbt_project import Run

REFUSED = "PARTITION"
VACUUM = ("run-operation", "ctas_vacuum", f"--args={json.dumps({'model': TABLE, 'older_than': 0})}")


@dataclass(frozen=True, slots=True)
class Kill:
    """Where the run that built ``number`` was killed; ``old`` was there before it, if any was."""

    layout: Layout
    point: Point
    number: int
    old: int | None


@dataclass(frozen=True, slots=True)
class Sight:
    """What readers get, through Spark and past it; no partitions are listed where it is refused."""

    number: int | None
    read_by_spark: tuple[int, ...] = ()
    partitions: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Aftermath:
    """What was not as promised, and how much lies beside the versions that are live or kept."""

    violations: list[str]
    paths: int
    bytes: int
    entries: int
    locks: int


def aftermath(numbered: Numbered, kill: Kill) -> Aftermath:
    """Look, build the next number, vacuum without grace, and look again; in this process."""
    promised = _promised(kill)
    violations = list(_differs("after the kill", _seen(numbered), promised))
    kept = set() if promised.number is None else {numbered.version()}
    following = kill.number + 1
    numbered.project.write(kill.layout.model(following))
    violations += _fails("the next run", numbered.project.dbt("run"))
    violations += _fails("the vacuum", numbered.project.dbt(*VACUUM))
    whole = _whole(kill.layout, following)
    violations += _differs("after the next run", _seen(numbered), whole)
    surplus = numbered.surplus(kept | {numbered.version()})
    violations += _differs("left behind", surplus, Surplus())
    locks = len(numbered.outside.locks())
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


def _seen(numbered: Numbered) -> Sight:
    if TABLE not in numbered.outside.tables():
        return Sight(None)
    rows = numbered.project.rows(f"select distinct v from {{schema}}.{TABLE}")
    return Sight(numbered.number(), tuple(row.v for row in rows), _listed(numbered))


def _listed(numbered: Numbered) -> tuple[str, ...] | None:
    try:
        rows = numbered.project.rows(f"show partitions {{schema}}.{TABLE}")
    except AnalysisException as error:
        if REFUSED not in str(error):
            raise
        return None
    return tuple(sorted(row.partition for row in rows))


def _differs(when: str, found: object, expected: object) -> Iterator[str]:
    if found != expected:
        yield f"{when}: {found}, where {expected} is promised"


def _fails(what: str, run: Run) -> Iterator[str]:
    if not run.success:
        yield f"{what} failed: {run.log}"
