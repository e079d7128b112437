"""A clean-up, or ``ctas_vacuum``: what it reads, takes, asks and deletes, call by call."""

from collections.abc import Iterable
from enum import IntEnum
from typing import NamedTuple

from .judging import Read, chain_of, id_of, judged
from .promises import broken_by_deletion
from .publishing import call
from .rules import Broken, Fault, Rules
from .state import Base, Entry, Move, Process, VersionRecord, World


class Cleans(IntEnum):
    """Where a clean-up stands."""

    READ, READ_ON, NOTE = range(3)
    LOOK, FENCE, LOOK_AGAIN = range(3, 6)
    TAKE, REREAD, ASK, ASK_LAST = range(6, 10)
    FILES, RECORD, END = range(10, 13)


class Cleaner(NamedTuple):
    """``runs`` clean-ups, one after the other, of what is recorded in one staging ``schema``.

    ``begun`` are the versions whose deletion another has begun; ``shown`` are those that stay after
    all. ``taken`` are those that are this clean-up's, in the order in which they go.
    """

    runs: int = 1
    vacuum: bool = False
    schema: int = 0
    at: Cleans = Cleans.READ
    read: Read = Read(0)
    todo: tuple[int, ...] = ()
    taken: tuple[int, ...] = ()
    begun: frozenset[int] = frozenset()
    shown: frozenset[int] = frozenset()
    fenced: tuple[Base, int] | None = None

    @property
    def can_be_killed(self) -> bool:
        return self.at not in (Cleans.READ, Cleans.END)

    def killed(self) -> Process:
        return Cleaner(0, self.vacuum, self.schema, Cleans.END)

    def moves(self, world: World, rules: Rules) -> Iterable[Move]:
        if self.at is Cleans.END:
            return ()
        says, after, world, broken = _CLEANS[self.at](self, world, rules)
        what = "vacuum" if self.vacuum else "clean-up"
        return (Move(f"{what} {says}", after, world, broken),)

    def ended(self) -> "Cleaner":
        """The next one of its runs, or none."""
        left = self.runs - 1
        return Cleaner(left, self.vacuum, self.schema, Cleans.READ if left else Cleans.END)

    def own(self, world: World) -> tuple[VersionRecord | None, ...]:
        """The records that it can see."""
        return tuple(
            one if one is not None and one.schema == self.schema else None for one in world.records
        )

    def judges(self, read: Read, rules: Rules) -> "Cleaner":
        """What comes next after all that was read."""
        found = judged(read, rules.keep, rules.fault, vacuum=self.vacuum)
        if found.needs_fence:
            return self._replace(at=Cleans.LOOK, read=read, todo=())
        begun = frozenset(one for one in found.going if _is_deleting(read.records[one]))
        todo = tuple(one for one in found.going if one not in begun)
        judged_now = self._replace(read=read, todo=todo, taken=found.going, begun=begun)
        return judged_now._replace(at=Cleans.TAKE) if todo else judged_now.asks(rules)

    def asks(self, rules: Rules) -> "Cleaner":
        """It has taken what it can."""
        if not self.taken:
            return self.ended()
        if rules.fault is Fault.NOBODY_IS_ASKED:
            return self._replace(at=Cleans.FILES, todo=self.taken)
        return self._replace(at=Cleans.REREAD if self.begun else Cleans.ASK, todo=())

    def goes_on(self) -> "Cleaner":
        """It has done with the first one."""
        rest = self.todo[1:]
        return self._replace(at=Cleans.FILES, todo=rest) if rest else self.ended()


Cleaned = tuple[str, Cleaner, World, Broken | None]


def _is_deleting(record: VersionRecord | None) -> bool:
    return record is not None and record.deleting is not None


def _reads(one: Cleaner, world: World, _: Rules) -> Cleaned:
    read = Read(world.now, one.own(world))
    return "reads the records", one._replace(at=Cleans.READ_ON, read=read), world, None


def _reads_on(one: Cleaner, world: World, rules: Rules) -> Cleaned:
    read = one.read._replace(targets=(world.target,))
    notes = tuple(at for at, record in enumerate(read.records) if _needs_note(one, read, record))
    if notes:
        after = one._replace(at=Cleans.NOTE, read=read, todo=notes)
        return "reads the target", after, world, None
    after = one.judges(read, rules)
    return f"reads the target; may go: {list(after.taken)}", after, world, None


def _needs_note(one: Cleaner, read: Read, record: VersionRecord | None) -> bool:
    """As ``FileGarbage`` notes that the target is gone, or there again."""
    if record is None or record.deleting is not None:
        return False
    return record.gone is None and one.vacuum if read.is_gone else record.gone is not None


def _notes(one: Cleaner, world: World, rules: Rules) -> Cleaned:
    version, *rest = one.todo
    record, read = one.read.records[version], one.read
    if record is not None and world.records[version] == record:
        now = read.now if rules.fault is Fault.EARLY_NOTE else world.now
        record = record._replace(gone=now if read.is_gone else None)
        read, world = read.holding(version, record), world.recorded(version, record)
    one = one._replace(read=read, todo=tuple(rest))
    after = one if rest else one.judges(read, rules)
    return f"notes on v{version} whether its table is gone", after, world, None


def _looks(one: Cleaner, world: World, _: Rules) -> Cleaned:
    if world.target is None:
        return "finds nothing to fence", one._replace(at=Cleans.LOOK_AGAIN), world, None
    return "looks", one._replace(at=Cleans.FENCE, fenced=(world.base, world.now)), world, None


def _fences(one: Cleaner, world: World, rules: Rules) -> Cleaned:
    after = one._replace(at=Cleans.LOOK_AGAIN, fenced=None)
    target = world.target
    if one.fenced is None or target is None or target.base != one.fenced[0]:
        return "does not fence what has changed", after, world, None
    if target.version is None:
        moved_on = Entry(max(world.now, target.changed + 1))
        return "moves the table's time on", after, world.showing(moved_on), None
    fenced = call(world, target.version, *one.fenced, rules) or world
    return "gives the table a fresh commit id", after, fenced, None


def _looks_again(one: Cleaner, world: World, rules: Rules) -> Cleaned:
    read = one.read._replace(targets=(*one.read.targets, world.target))
    after = one.judges(read, rules)
    return f"reads the target; may go: {list(after.taken)}", after, world, None


def _takes(one: Cleaner, world: World, rules: Rules) -> Cleaned:
    version, *rest = one.todo
    record = one.read.records[version]
    if record is None or world.records[version] != record:
        left = tuple(other for other in one.taken if other != version)
        one, says = one._replace(taken=left), f"finds v{version} taken"
    else:
        record = record._replace(deleting=world.now)
        one = one._replace(read=one.read.holding(version, record))
        world, says = world.recorded(version, record), f"takes v{version}"
    one = one._replace(todo=tuple(rest))
    return says, one if rest else one.asks(rules), world, None


def _rereads(one: Cleaner, world: World, _: Rules) -> Cleaned:
    changed = {at for at in one.begun if world.records[at] != one.read.records[at]}
    taken = tuple(at for at in one.taken if at not in changed)
    after = one._replace(at=Cleans.ASK, taken=taken) if taken else one.ended()
    return "reads again the records that it has found taken", after, world, None


def _asks(one: Cleaner, world: World, rules: Rules) -> Cleaned:
    is_target = rules.fault is Fault.TARGET_NOT_LAST
    after = _asked(one, world, rules, is_target=is_target)._replace(at=Cleans.ASK_LAST)
    return f"asks {'the target' if is_target else 'others'}", after, world, None


def _asks_last(one: Cleaner, world: World, rules: Rules) -> Cleaned:
    is_target = rules.fault is not Fault.TARGET_NOT_LAST
    after = _asked(one, world, rules, is_target=is_target)
    after = after._replace(at=Cleans.FILES, todo=after.taken, begun=frozenset())
    says = f"asks {'the target' if is_target else 'others'}: {sorted(after.shown)} are shown"
    return says, after, world, None


def _asked(one: Cleaner, world: World, rules: Rules, *, is_target: bool) -> Cleaner:
    entry = world.target if is_target else world.copy
    if entry is None:
        return one
    found = {at for at in one.taken if _shows(entry, at, one.read.records[at], rules)}
    if not is_target and not one.vacuum:
        found = {at for at in found if not _is_of_this_life(one.read, at)}
    return one._replace(shown=one.shown | found)


def _shows(entry: Entry, version: int, record: VersionRecord | None, rules: Rules) -> bool:
    if entry.version == version:
        return True
    expected = record.expected if record is not None else None
    if rules.fault in (Fault.EXPECTED_NOT_ASKED, Fault.MAY_LAND_NOT_ASKED):
        return False
    return expected is not None and entry.commit == expected


def _is_of_this_life(read: Read, version: int) -> bool:
    """Then the product does not search databases other than the target's own."""
    return chain_of(read.records, read.targets[-1]).is_of_this_life(id_of(version))


def _removes(one: Cleaner, world: World, rules: Rules) -> Cleaned:
    version = one.todo[0]
    record = one.read.records[version]
    if version not in one.shown:
        broken = broken_by_deletion(world, version, rules)
        after = one._replace(at=Cleans.RECORD)
        return f"deletes the files of v{version}", after, world.emptied(version), broken
    if record is not None and world.records[version] == record:
        world = world.recorded(version, record._replace(deleting=None, gone=None))
    return f"gives v{version} back", one.goes_on(), world, None


def _drops(one: Cleaner, world: World, _: Rules) -> Cleaned:
    version = one.todo[0]
    return f"drops the record of v{version}", one.goes_on(), world.recorded(version, None), None


_CLEANS = {
    Cleans.READ: _reads,
    Cleans.READ_ON: _reads_on,
    Cleans.NOTE: _notes,
    Cleans.LOOK: _looks,
    Cleans.FENCE: _fences,
    Cleans.LOOK_AGAIN: _looks_again,
    Cleans.TAKE: _takes,
    Cleans.REREAD: _rereads,
    Cleans.ASK: _asks,
    Cleans.ASK_LAST: _asks_last,
    Cleans.FILES: _removes,
    Cleans.RECORD: _drops,
}
