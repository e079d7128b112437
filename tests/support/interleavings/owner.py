"""The owner of the table, who follows no protocol."""

from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple

from .rules import Rules
from .state import Entry, Move, Process, World


class Does(IntEnum):
    """What an owner may do: rename the target away and back, drop it, replace it."""

    DROP, AWAY, BACK, DROP_COPY, REPLACE = range(5)


class Owner(NamedTuple):
    """Does this often one of these, in any order."""

    times: int
    does: tuple[Does, ...]

    @property
    def can_be_killed(self) -> bool:
        return False

    def killed(self) -> Process:
        return self

    def moves(self, world: World, rules: Rules) -> Iterator[Move]:
        if not self.times:
            return
        for one in self.does:
            after = _after(world, one, rules)
            if after is not None:
                says = f"the owner: {one.name.lower().replace('_', ' ')}"
                yield Move(says, Owner(self.times - 1, self.does), after)


def _after(world: World, does: Does, rules: Rules) -> World | None:
    """The world after that; None if it can't be done now."""
    target, copy = world.target, world.copy
    if does is Does.DROP and target is not None:
        return world.showing(None)
    if does is Does.AWAY and target is not None and target.commit is not None and copy is None:
        return world._replace(copy=target).showing(None)
    if does is Does.BACK and copy is not None and target is None:
        return world.showing(copy)._replace(copy=None)
    if does is Does.DROP_COPY and copy is not None:
        return world._replace(copy=None)
    if does is Does.REPLACE and (target is None or target.commit is not None):
        return world.showing(Entry(world.now + rules.ahead))
    return None
