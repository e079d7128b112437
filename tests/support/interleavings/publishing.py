"""Whoever publishes: a writer step by step, builds as one step, and a rollback."""

from collections.abc import Iterable, Iterator
from enum import IntEnum
from typing import NamedTuple

from .judging import is_gone, offered, unproven
from .rules import MOST_IN_LINEAGE, ORPHAN_AGE, TICK_MS, Broken, Fault, Promise, Rules
from .state import Base, Commit, Entry, Move, Process, Published, VersionRecord, World


def call(world: World, version: int, base: Base, read_at: int, rules: Rules) -> World | None:
    """The one call that publishes, conditional on the base; None if it is refused."""
    if world.base != base:
        return None
    order = read_at * TICK_MS
    before: tuple[Published, ...] = ()
    if world.target is not None and world.target.commit is not None:
        order, before = max(order, world.target.commit.order + 1), world.target.lineage
    commit = Commit(order, version)
    landed = world.now + rules.ahead
    lineage = (Published(commit, landed), *before)[:MOST_IN_LINEAGE]
    return world.showing(Entry(landed, version, commit, lineage))


def published(world: World, version: int, base: Base, read_at: int, rules: Rules) -> World | None:
    """After the call, with the fact of it; None if it is refused."""
    after = call(world, version, base, read_at, rules)
    return None if after is None else after.published(version)


def over(world: World, record: VersionRecord, rules: Rules) -> VersionRecord:
    """The record with the target of now as one more base."""
    bases = () if rules.fault is Fault.BASE_REPLACED else record.bases
    return record._replace(bases=(*bases, world.recorded_base), moved=world.now, gone=None)


def staged(world: World, version: int, schema: int = 0) -> World:
    """A version that begins and ends its job now."""
    record = VersionRecord((world.recorded_base,), world.now, world.now, schema)
    return world.staged(version, record)


def built(world: World, rules: Rules, schema: int = 0) -> World:
    """A whole build, as one step."""
    world, version = world.started()
    world = staged(world, version, schema)
    return published(world, version, world.base, world.now, rules) or world


class Builder(NamedTuple):
    """Builds that nobody interrupts: versions without more interleavings."""

    builds: int
    schema: int = 0

    @property
    def can_be_killed(self) -> bool:
        return False

    def killed(self) -> Process:
        return self

    def moves(self, world: World, rules: Rules) -> Iterator[Move]:
        if self.builds:
            says = f"v{len(world.records)} is built at {world.now}"
            after = self._replace(builds=self.builds - 1)
            yield Move(says, after, built(world, rules, self.schema))


class Writes(IntEnum):
    """Where a writer stands."""

    START, BEGIN, STAGE, LOOK, READ_CLOCK, CALL, READ_RECORD, REMOVE, END = range(9)


class Writer(NamedTuple):
    """A build; with ``overwrites`` it takes another's commit for its base.

    A creation that sleeps for longer than half of the orphan age publishes nothing.
    """

    overwrites: bool = False
    schema: int = 0
    at: Writes = Writes.START
    version: int = -1
    started: int = 0
    base: Base = None
    record: VersionRecord | None = None
    read_at: int = 0

    @property
    def can_be_killed(self) -> bool:
        return self.at not in (Writes.START, Writes.END)

    def killed(self) -> Process:
        return self._replace(at=Writes.END, record=None)

    def moves(self, world: World, rules: Rules) -> Iterable[Move]:
        if self.at is Writes.END:
            return ()
        says, after, world = _WRITES[self.at](self, world, rules)
        if after.at is Writes.END:
            after = Writer(after.overwrites, after.schema, Writes.END, after.version)
        return (Move(f"writer of v{after.version} {says}", after, world),)


Written = tuple[str, Writer, World]


def _starts(one: Writer, world: World, _: Rules) -> Written:
    world, version = world.started()
    one = one._replace(at=Writes.BEGIN, version=version, started=world.now)
    return f"starts at {world.now}", one, world


def _begins(one: Writer, world: World, _: Rules) -> Written:
    record = VersionRecord((world.recorded_base,), one.started, world.now, one.schema)
    one = one._replace(at=Writes.STAGE, base=world.base, record=record)
    return f"begins over {world.base}", one, world


def _stages(one: Writer, world: World, _: Rules) -> Written:
    if one.record is None or world.records[one.version] is not None:
        return "fails on a tombstone", one._replace(at=Writes.END), world
    record = one.record._replace(moved=world.now)
    one = one._replace(at=Writes.LOOK, record=None)
    return "stages", one, world.staged(one.version, record)


def _looks(one: Writer, world: World, rules: Rules) -> Written:
    if world.base != one.base:
        return _conflict(one, world, rules)
    if one.version not in world.files:
        return "misses its files", one._replace(at=Writes.END), world
    return "looks", one._replace(at=Writes.READ_CLOCK), world


def _conflict(one: Writer, world: World, rules: Rules) -> Written:
    ended, record = one._replace(at=Writes.END), world.records[one.version]
    if not one.overwrites:
        return _withdraws(one, world)
    if record is None or record.deleting is not None:
        return "finds its record taken", ended, world
    one = one._replace(at=Writes.READ_CLOCK, base=world.base)
    after = world.recorded(one.version, over(world, record, rules))
    return f"takes {world.base} for its base", one, after


def _withdraws(one: Writer, world: World) -> Written:
    record, removes = world.records[one.version], one._replace(at=Writes.REMOVE)
    if record is not None and len(record.bases) > 1:
        return "finds its version restored, and leaves it", one._replace(at=Writes.END), world
    return "aborts", removes, world


def _removes(one: Writer, world: World, _: Rules) -> Written:
    removed = world.emptied(one.version).recorded(one.version, None)
    return "removes its version", one._replace(at=Writes.END), removed


def _reads_clock(one: Writer, world: World, _: Rules) -> Written:
    return f"reads the clock: {world.now}", one._replace(at=Writes.CALL, read_at=world.now), world


def _calls(one: Writer, world: World, rules: Rules) -> Written:
    if one.base is None and world.now - one.read_at > ORPHAN_AGE // 2:
        return "has slept too long to create a table", one._replace(at=Writes.END), world
    after = published(world, one.version, one.base, one.read_at, rules)
    if after is None:
        shows = world.target is not None and world.target.version == one.version
        at = Writes.END if shows else Writes.LOOK
        return (
            f"is refused{', and finds its version shown' if shows else ''}",
            one._replace(at=at),
            world,
        )
    at = Writes.READ_RECORD if one.base is None else Writes.END
    return f"publishes over {one.base}", one._replace(at=at), after


def _reads_record(one: Writer, world: World, _: Rules) -> Written:
    record, ended = world.records[one.version], one._replace(at=Writes.END)
    is_swept = record is None or record.deleting is not None
    created = Commit(one.read_at * TICK_MS, one.version)
    if is_swept and world.base == created:
        return "takes its creation back", ended, world.showing(None)
    return "has created the table", ended, world


_WRITES = {
    Writes.START: _starts,
    Writes.BEGIN: _begins,
    Writes.STAGE: _stages,
    Writes.LOOK: _looks,
    Writes.READ_CLOCK: _reads_clock,
    Writes.CALL: _calls,
    Writes.READ_RECORD: _reads_record,
    Writes.REMOVE: _removes,
}


class Restores(IntEnum):
    """Where a rollback stands."""

    CHOOSE, BEGIN, TAKE, ASK, READ_CLOCK, CALL, END = range(7)


class Rollback(NamedTuple):
    """Publishes any of the versions that it is offered again; ``by_name`` also what may be none."""

    schema: int = 0
    by_name: bool = False
    at: Restores = Restores.CHOOSE
    version: int = -1
    record: VersionRecord | None = None
    base: Base = None
    read_at: int = 0

    @property
    def can_be_killed(self) -> bool:
        return self.at not in (Restores.CHOOSE, Restores.END)

    def killed(self) -> Process:
        return Rollback(self.schema, self.by_name, Restores.END)

    def moves(self, world: World, rules: Rules) -> Iterable[Move]:
        if self.at is Restores.CHOOSE:
            return self._choices(world)
        if self.at is Restores.END:
            return ()
        says, after, world = _RESTORES[self.at](self, world, rules)
        says = f"rollback to v{self.version} {says}"
        return (Move(says, self.killed() if after.at is Restores.END else after, world),)

    def _choices(self, world: World) -> Iterator[Move]:
        if is_gone(world.target):
            return
        own = tuple(
            one if one is not None and one.schema == self.schema else None for one in world.records
        )
        for version in offered(own, world.target):
            never = world.facts[version].place is None
            how = f"v{version} was never published"
            yield from self._chooses(
                version, world, Broken(Promise.OFFERED, how) if never else None
            )
        for version in unproven(own, world.target) if self.by_name else ():
            yield from self._chooses(version, world, None)

    def _chooses(self, version: int, world: World, broken: Broken | None) -> Iterator[Move]:
        if version in world.files:
            record = world.records[version]
            chosen = self._replace(at=Restores.BEGIN, version=version, record=record)
            yield Move(f"rollback to v{version} is chosen", chosen, world, broken)


Restored = tuple[str, Rollback, World]


def _begins_again(one: Rollback, world: World, _: Rules) -> Restored:
    if world.target is None:
        return "finds no table", one._replace(at=Restores.END), world
    return f"begins over {world.base}", one._replace(at=Restores.TAKE, base=world.base), world


def _takes(one: Rollback, world: World, rules: Rules) -> Restored:
    record = world.records[one.version]
    if record is None or record != one.record:
        return "finds its record taken", one._replace(at=Restores.END), world
    taken = one._replace(at=Restores.ASK, record=None)
    if rules.fault is Fault.RECORD_NOT_TAKEN:
        return "does not take the record", taken, world
    if one.base != world.base:
        return "finds another base", one._replace(at=Restores.END), world
    return "takes the record", taken, world.recorded(one.version, over(world, record, rules))


def _asks(one: Rollback, world: World, _: Rules) -> Restored:
    if world.copy is not None and world.copy.version == one.version:
        return "finds that another table shows it", one._replace(at=Restores.END), world
    if one.version not in world.files:
        return "misses its files", one._replace(at=Restores.END), world
    return "asks who shows it", one._replace(at=Restores.READ_CLOCK), world


def _reads_clock_again(one: Rollback, world: World, _: Rules) -> Restored:
    after = one._replace(at=Restores.CALL, read_at=world.now)
    return f"reads the clock: {world.now}", after, world


def _calls_again(one: Rollback, world: World, rules: Rules) -> Restored:
    ended = one._replace(at=Restores.END)
    after = published(world, one.version, one.base, one.read_at, rules)
    if after is None:
        return "is refused", ended, world
    return f"publishes over {one.base}", ended, after


_RESTORES = {
    Restores.BEGIN: _begins_again,
    Restores.TAKE: _takes,
    Restores.ASK: _asks,
    Restores.READ_CLOCK: _reads_clock_again,
    Restores.CALL: _calls_again,
}
