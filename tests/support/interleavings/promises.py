"""Whether the promises hold: in a state, at a deletion, and when nothing happens any more."""

from collections.abc import Iterable

from .judging import Read, judged
from .publishing import built
from .rules import GRACE, ORPHAN_AGE, Broken, Promise, Rules
from .state import World

BUILDS_AT_REST = 4


def broken_in(world: World) -> Broken | None:
    """No table shows a version whose files are gone."""
    for name, entry in (("target", world.target), ("renamed table", world.copy)):
        if entry is not None and entry.version is not None and entry.version not in world.files:
            return Broken(Promise.FILES, f"the {name} shows v{entry.version}")
    return None


def broken_by_deletion(world: World, version: int, rules: Rules) -> Broken | None:
    """What the deletion of the version's files, now, breaks."""
    left, place = world.facts[version]
    if version not in world.files:
        return None
    if world.shows(version):
        return Broken(Promise.LIVE, f"v{version} is deleted, and a table shows it")
    if place is None:
        return None
    for_ticks = world.now - left if left is not None else ORPHAN_AGE
    if for_ticks < GRACE - rules.shorter:
        return Broken(Promise.GRACE, f"v{version} is deleted {for_ticks} ticks after it was left")
    if len(list(_newer(world, place))) >= rules.keep:
        return None
    promise = Promise.KEEP_KNOWN if for_ticks >= ORPHAN_AGE else Promise.KEEP
    return Broken(promise, f"v{version} is deleted {for_ticks} ticks after it was left")


def _newer(world: World, place: int) -> Iterable[int]:
    """The superseded versions that were published later, and are there."""
    found = ((one, world.facts[one].place) for one in world.files if not world.shows(one))
    return (one for one, later in found if later is not None and later > place)


def broken_at_rest(world: World, rules: Rules) -> Broken | None:
    """Time passes; builds and clean-ups of each staging schema run alone: too much is left.

    Each staging schema keeps as many as one, because its clean-ups see no others.
    """
    schemas = sorted({0, *(one.schema for one in world.records if one is not None)})
    for _ in range(BUILDS_AT_REST):
        world = world._replace(now=world.now + ORPHAN_AGE + GRACE + 1)
        world = built(world, rules)
        for schema in schemas:
            world = _cleaned(world, rules, schema)
    left = sorted(one for one in world.files if not world.shows(one))
    if len(left) <= rules.keep * len(schemas) + 1:
        return None
    return Broken(Promise.GARBAGE, f"{left} are left beside the live version")


def _cleaned(world: World, rules: Rules, schema: int) -> World:
    own = tuple(one if one and one.schema == schema else None for one in world.records)
    read = Read(world.now, own, (world.target,))
    for one in judged(read, rules.keep, rules.fault, vacuum=False).going:
        if not world.shows(one):
            world = world.emptied(one).recorded(one, None)
    return world
