"""One run after the other is killed, each at the next point, over what the last one left."""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from faults.after_kill import Aftermath, Kill
from faults.kill_link import Target, link
from faults.kill_places import KillPlace
from faults.kill_points import Build, Layout, Point
from functional.dbt_project import Project
from servers.processes import tail


@dataclass(frozen=True, slots=True)
class Killed:
    """One kill and what followed it; ``seconds`` are those from the kill before to this one."""

    catalog: str
    build: Build
    kill: Kill
    aftermath: Aftermath
    seconds: float


def kills(
    place: KillPlace, layout: Layout, build: Build, points: Iterable[Point]
) -> Iterator[Killed]:
    """Kill a run at each of the points.

    Every process looks at what the kill before it left, and is killed itself: so each looks with a
    fresh JVM, and none is started for the look alone.
    """
    targets = tuple(_TARGETS[build](place, layout, points))
    after: Target | None = None
    seconds = 0.0
    for target in (*targets, None) if targets else ():
        started = time.monotonic()
        with link(after, target) as run:
            if target is not None:
                run.wait_until_stopped()
                run.kill()
                place.age_locks()
            else:
                assert run.ended() == 0, tail(run.log)
        if after is not None:
            yield Killed(place.name, build, after.kill, after.aftermath(), round(seconds, 1))
        after, seconds = target, time.monotonic() - started


def _rebuilds(place: KillPlace, layout: Layout, points: Iterable[Point]) -> Iterator[Target]:
    """Of one table, whose number grows by two with each kill and the run after it."""
    project = _project(place, f"rebuilt_{layout.name.lower()}")
    for number, point in enumerate(points):
        old = 1 + 2 * number
        yield Target(project, Kill(layout, point, old + 1, old, place.place))


def _first_builds(place: KillPlace, layout: Layout, points: Iterable[Point]) -> Iterator[Target]:
    """Each in a schema that nothing was built in before."""
    for number, point in enumerate(points):
        project = _project(place, f"first_{layout.name.lower()}_{number}")
        yield Target(project, Kill(layout, point, 1, None, place.place))


_TARGETS: dict[Build, Callable[[KillPlace, Layout, Iterable[Point]], Iterator[Target]]] = {
    Build.FIRST: _first_builds,
    Build.REBUILD: _rebuilds,
}


def _project(place: KillPlace, schema: str) -> Project:
    project = Project(place.directory / "projects" / schema, schema, place.conf)
    project.directory.mkdir(parents=True)
    return project
