"""Breadth first through all interleavings: every step of every process, kills, and the clock."""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from .promises import broken_at_rest, broken_in
from .rules import Broken, Promise, Rules
from .scenarios import Scenario
from .state import World, replaced

Step = tuple[str, World, Broken | None]


@dataclass(frozen=True, slots=True)
class Violation:
    """A broken promise, and the shortest way to it."""

    how: str
    steps: tuple[str, ...]

    def __str__(self) -> str:
        return "\n  ".join((self.how, *self.steps))


@dataclass(slots=True)
class Explored:
    """``expanded`` states have had all their steps tried; ``is_whole``: no other can be reached."""

    expanded: int = 0
    reached: int = 0
    is_whole: bool = False
    violations: dict[Promise, Violation] = field(default_factory=dict)

    def __str__(self) -> str:
        return "\n".join(f"{one.value}: {this}" for one, this in self.violations.items())


def explore(
    scenario: Scenario, rules: Rules, states: int, until: Promise | None = None
) -> Explored:
    """All that can happen, until ``states`` are expanded or the promise is broken.

    What comes after a violation is a consequence of it, and is not looked at.
    """
    start = scenario.start(rules)
    before: dict[World, tuple[World, str] | None] = {start: None}
    todo, found = deque([start]), Explored()
    while todo and found.expanded < states and until not in found.violations:
        world = todo.popleft()
        found.expanded += 1
        for says, after, broken in _steps(world, scenario, rules):
            if broken is not None:
                if broken.promise not in found.violations:
                    found.violations[broken.promise] = _violation(before, world, says, broken)
            elif after not in before:
                before[after] = (world, says)
                todo.append(after)
    found.reached, found.is_whole = len(before), not todo
    return found


def _steps(world: World, scenario: Scenario, rules: Rules) -> Iterator[Step]:
    moves = list(_moves(world, rules))
    yield from moves
    if not moves:
        yield "nothing happens any more", world, broken_at_rest(world, rules)
    if world.now < scenario.ticks:
        yield f"the clock moves to {world.now + 1}", world._replace(now=world.now + 1), None


def _moves(world: World, rules: Rules) -> Iterator[Step]:
    for at, process in enumerate(world.processes):
        moves = list(process.moves(world, rules))
        for move in moves:
            processes = replaced(world.processes, at, move.process)
            after = move.world._replace(processes=processes)
            yield move.says, after, move.broken or broken_in(after)
        if moves and world.kills and process.can_be_killed:
            processes = replaced(world.processes, at, process.killed())
            killed = world._replace(processes=processes, kills=world.kills - 1)
            yield f"{type(process).__name__.lower()} {at} is killed", killed, None


def _violation(
    before: dict[World, tuple[World, str] | None], world: World, says: str, broken: Broken
) -> Violation:
    steps = [says]
    while (here := before[world]) is not None:
        world, one = here
        steps.append(one)
    return Violation(broken.how, tuple(reversed(steps)))
