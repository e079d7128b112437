"""One state of everything: the metastore, the storage, the clock, and where each process stands."""

from collections.abc import Iterable
from typing import NamedTuple, Protocol, TypeVar

from .rules import Broken, Rules

Value = TypeVar("Value")


class Commit(NamedTuple):
    """The id of a publication: its place among those of its target, and what it published."""

    order: int
    version: int


class Foreign(NamedTuple):
    """What a call over a table without our marker expects: its time of change."""

    changed: int


Base = Commit | Foreign | None
"""What a commit call expects; None for a creation."""


class Published(NamedTuple):
    """A publication in a lineage; ``landed`` is by the metastore's clock."""

    commit: Commit
    landed: int


class Entry(NamedTuple):
    """A table; ``version`` and ``commit`` are None without our marker."""

    changed: int
    version: int | None = None
    commit: Commit | None = None
    lineage: tuple[Published, ...] = ()

    @property
    def base(self) -> Commit | Foreign:
        return Foreign(self.changed) if self.commit is None else self.commit

    @property
    def landed(self) -> int | None:
        """When its last publication had landed; None without our marker."""
        return self.lineage[0].landed if self.lineage else None


class RecordedBase(NamedTuple):
    """A base as a record keeps it."""

    what: Base
    seen: int
    landed: int | None


class VersionRecord(NamedTuple):
    """``moved`` is when the record was last changed but by a clean-up.

    ``deleting`` and ``gone`` are when a clean-up took it, and when one saw its target gone. A
    clean-up or a rollback sees only records of its own staging ``schema``.
    """

    bases: tuple[RecordedBase, ...]
    start: int
    moved: int
    schema: int = 0
    deleting: int | None = None
    gone: int | None = None

    @property
    def last(self) -> Base:
        return self.bases[-1].what

    @property
    def expected(self) -> Commit | None:
        """The commit id that the version's call expects of a table, wherever that is."""
        return self.last if isinstance(self.last, Commit) else None


Records = tuple[VersionRecord | None, ...]


class Fact(NamedTuple):
    """What is true of a version, whoever knows it.

    ``left`` is when the target ceased to show it, None while it shows it; ``place`` is that of its
    last publication among all, None if there was none.
    """

    left: int | None = None
    place: int | None = None


class World(NamedTuple):
    """``copy`` is the target under another name, in another database."""

    now: int = 0
    target: Entry | None = None
    copy: Entry | None = None
    records: Records = ()
    files: frozenset[int] = frozenset()
    facts: tuple[Fact, ...] = ()
    processes: tuple["Process", ...] = ()
    kills: int = 0

    @property
    def base(self) -> Base:
        return self.target.base if self.target else None

    @property
    def recorded_base(self) -> RecordedBase:
        """The target's base, as a record of now keeps it."""
        return RecordedBase(self.base, self.now, self.target.landed if self.target else None)

    def shows(self, version: int) -> bool:
        """True if a table shows the version."""
        return any(one is not None and one.version == version for one in (self.target, self.copy))

    def started(self) -> tuple["World", int]:
        """With one more version, of which there is nothing yet."""
        more = self._replace(records=(*self.records, None), facts=(*self.facts, Fact()))
        return more, len(self.records)

    def recorded(self, version: int, record: VersionRecord | None) -> "World":
        return self._replace(records=replaced(self.records, version, record))

    def staged(self, version: int, record: VersionRecord) -> "World":
        world = self.recorded(version, record)
        return world._replace(files=world.files | {version})

    def emptied(self, version: int) -> "World":
        return self._replace(files=self.files - {version})

    def showing(self, entry: Entry | None) -> "World":
        """With another entry, or none, under the target's name."""
        facts = list(self.facts)
        old = self.target.version if self.target else None
        new = entry.version if entry else None
        if old is not None and old != new:
            facts[old] = facts[old]._replace(left=self.now)
        if new is not None:
            facts[new] = facts[new]._replace(left=None)
        return self._replace(target=entry, facts=tuple(facts))

    def published(self, version: int) -> "World":
        """With the version's publication as the last of all."""
        last = max((one.place or 0 for one in self.facts), default=0)
        return self._replace(facts=replaced(self.facts, version, Fact(None, last + 1)))


class Move(NamedTuple):
    """A step that a process can take, in words; the process and the world after it."""

    says: str
    process: "Process"
    world: World
    broken: Broken | None = None


class Process(Protocol):
    """Whoever acts; a value, so that states can be compared."""

    @property
    def can_be_killed(self) -> bool:
        """True between its first step and its last one."""

    def killed(self) -> "Process":
        """It takes no step any more."""

    def moves(self, world: World, rules: Rules) -> Iterable[Move]:
        """The steps that it can take now."""


def replaced(values: tuple[Value, ...], at: int, value: Value) -> tuple[Value, ...]:
    """The values with another one at this place."""
    return (*values[:at], value, *values[at + 1 :])
