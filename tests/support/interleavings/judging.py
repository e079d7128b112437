"""What a clean-up or a rollback makes of what it has read: the product's own decisions.

``CleanUp`` judges, in its own order, over a ``Garbage`` that is a snapshot of the state; ``Chain``
says what was published, when a version was left, and what was never published.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import NamedTuple

from ctas_spark.context import TableName
from ctas_spark.files import record as product
from ctas_spark.files.base import ABSENT, COMMIT_BASE
from ctas_spark.files.chain import Chain, Landed
from ctas_spark.files.garbage import FIRST
from ctas_spark.retention.clean_up import CleanUp
from ctas_spark.retention.rules import (
    KnownVersion,
    Place,
    Reason,
    RetentionRules,
)
from ctas_spark.steps import StepReport

from .rules import GRACE, ORPHAN_AGE, TICK_MS, Fault
from .state import Base, Commit, Entry, Published, RecordedBase, Records, VersionRecord, replaced

TARGET = TableName("db", "t")
LESS_MS = TICK_MS // 10
"""Two publications in one tick differ by a millisecond, and that shall not cost a tick."""
MANY = 200_000


class Read(NamedTuple):
    """What a clean-up has read, and when it read the clock; ``targets`` are one more each fence."""

    now: int
    records: Records = ()
    targets: tuple[Entry | None, ...] = ()

    @property
    def is_gone(self) -> bool:
        """True if the target, as it was read first, shows no version of ours."""
        return is_gone(self.targets[0])

    def holding(self, version: int, record: VersionRecord) -> "Read":
        """With the record as it is after a move of our own."""
        return self._replace(records=replaced(self.records, version, record))


class Judgement(NamedTuple):
    """The versions that may go, in their order; or a fence has to come first."""

    going: tuple[int, ...] = ()
    needs_fence: bool = False


class FenceNeededError(Exception):
    """The judging goes on once the target has a fresh commit id."""


def is_gone(target: Entry | None) -> bool:
    """True if the target shows no version of ours."""
    return target is None or target.commit is None


@lru_cache(MANY)
def judged(read: Read, keep: int, fault: Fault | None, *, vacuum: bool) -> Judgement:
    """What the product lets go; ``vacuum``: as ``ctas_vacuum`` with ``fence: true`` does."""
    garbage = Snapshot(read, fault, vacuum=vacuum)
    if fault is Fault.AGE_ALONE:
        return Judgement(garbage.old())
    rules = RetentionRules(
        versions_to_keep=keep,
        grace_ms=GRACE * TICK_MS - LESS_MS,
        orphan_age_ms=ORPHAN_AGE * TICK_MS - LESS_MS,
        fences=vacuum,
        thorough=vacuum,
    )
    try:
        CleanUp(garbage, rules, StepReport(TARGET)).run()
    except FenceNeededError:
        return Judgement(needs_fence=True)
    going = tuple(map(number_of, garbage.going))
    return Judgement(going)


@lru_cache(MANY)
def offered(records: Records, target: Entry | None) -> tuple[int, ...]:
    """The published versions that a rollback may take, newest first; files are not looked at."""
    live = None if target is None else target.version
    kept = (id_of(at) for at, one in enumerate(records) if one is not None and not one.deleting)
    found = map(number_of, chain_of(records, target).published(kept))
    return tuple(one for one in found if one != live)


@lru_cache(MANY)
def unproven(records: Records, target: Entry | None) -> tuple[int, ...]:
    """The versions that a rollback takes only by name."""
    live, chain = None if target is None else target.version, chain_of(records, target)
    return tuple(
        at
        for at, one in enumerate(records)
        if one is not None
        and not one.deleting
        and at != live
        and chain.last_commit(id_of(at)) is None
        and not chain.proves_unpublished(product_record(id_of(at), one))
    )


@lru_cache(MANY)
def chain_of(records: Records, target: Entry | None) -> Chain:
    """The product's chain of these records and this target."""
    lineage = target.lineage if target is not None else ()
    named = (base for record in records if record is not None for base in record.bases)
    return Chain(
        tuple(landed(one) for one in lineage),
        tuple(
            landed(Published(one.what, one.landed))
            for one in named
            if isinstance(one.what, Commit) and one.landed is not None
        ),
    )


def landed(one: Published) -> Landed:
    """As the next publication and the records write it: the later of two clocks."""
    return Landed(commit_id(one.commit), max(one.commit.order, one.landed * TICK_MS))


@dataclass
class Snapshot:
    """A ``Garbage`` that only notes which versions may go: another process has each of them."""

    read: Read
    fault: Fault | None
    vacuum: bool
    going: tuple[str, ...] = ()
    fences: int = 0
    target: TableName = field(default=TARGET)

    def versions(self) -> tuple[KnownVersion, ...]:
        known = {one: self._known(one, record) for one, record in self._found.items()}
        order = dict.fromkeys((*self._chain.published(known), *sorted(known)))
        return tuple(sorted((known[one] for one in order), key=lambda one: FIRST.index(one.place)))

    def left_for_ms(self, version: KnownVersion) -> int | None:
        record = product_record(version.id, self._found[version.id])
        left_ms = record.target_gone_ms if self._is_gone else self._chain.left_ms(record)
        return None if left_ms is None else max(0, self.read.now * TICK_MS - left_ms)

    def age_ms(self, version: KnownVersion) -> int:
        record = self._found[version.id]
        return (self.read.now - max(record.start, record.moved)) * TICK_MS

    def may_land(self, version: KnownVersion) -> bool:
        if self.fault is Fault.MAY_LAND_NOT_ASKED:
            return False
        last, target = self._found[version.id].last, self._target
        return last is not None and target is not None and last == target.base

    def may_have_lived(self, version: KnownVersion) -> bool:
        record = product_record(version.id, self._found[version.id])
        chain = self._chain_over(0) if self.fault is Fault.OLD_PROOF else self._chain
        return not chain.proves_unpublished(record)

    def fence(self) -> None:
        self.fences += 1
        if self.fences == len(self.read.targets):
            raise FenceNeededError

    def take(self, version: KnownVersion) -> bool:  # noqa: ARG002 (the process takes it)
        return True

    def shown(self, versions: Sequence[KnownVersion]) -> Mapping[str, Reason]:
        self.going = tuple(one.id for one in versions)
        return dict.fromkeys(self.going, Reason.TAKEN)

    def give_back(self, version: KnownVersion) -> None:
        raise NotImplementedError

    def delete_files(self, version: KnownVersion) -> bool:
        raise NotImplementedError

    def delete_record(self, version: KnownVersion) -> None:
        raise NotImplementedError

    def old(self) -> tuple[int, ...]:
        """What age alone would let go."""
        found = (one for one in self.versions() if one.place is not Place.LIVE)
        old = [one for one in found if self.age_ms(one) >= ORPHAN_AGE * TICK_MS]
        return tuple(number_of(one.id) for one in old)

    @property
    def _target(self) -> Entry | None:
        return self.read.targets[self.fences]

    @property
    def _is_gone(self) -> bool:
        return is_gone(self._target)

    @property
    def _chain(self) -> Chain:
        return self._chain_over(self.fences)

    def _chain_over(self, fences: int) -> Chain:
        return chain_of(tuple(self._found.values()), self.read.targets[fences])

    @cached_property
    def _found(self) -> dict[str, VersionRecord]:
        """Like the product, without the records of what began within the grace period."""
        youngest = 0 if self.vacuum else GRACE
        return {
            id_of(at): one
            for at, one in enumerate(self.read.records)
            if one is not None and self.read.now - one.start >= youngest
        }

    def _known(self, version: str, record: VersionRecord) -> KnownVersion:
        is_deleting = record.deleting is not None
        stays = self._is_gone and not self.vacuum and not is_deleting
        return KnownVersion(
            id=version,
            place=self._place(version),
            directory=version,
            is_deleting=is_deleting,
            stays=Reason.GONE if stays else None,
        )

    def _place(self, version: str) -> Place:
        if self._target is not None and self._target.version == number_of(version):
            return Place.LIVE
        lived = self._chain.last_commit(version) is not None
        return Place.SUPERSEDED if lived else Place.UNPUBLISHED


@lru_cache(MANY)
def product_record(version: str, record: VersionRecord) -> product.Record:
    """The record as the product has it."""
    return product.Record(
        target=str(TARGET),
        version=version,
        root="root",
        bases=tuple(map(product_base, record.bases)),
        deleting_ms=_ms(record.deleting),
        target_gone_ms=_ms(record.gone),
    )


def product_base(base: RecordedBase) -> product.RecordedBase:
    """A base as the product's records have it.

    What was published in the tick in which the absence was read came before that.
    """
    landed_ms = None
    if isinstance(base.what, Commit) and base.landed is not None:
        landed_ms = landed(Published(base.what, base.landed)).by_ms
    return product.RecordedBase(_text(base.what), base.seen * TICK_MS + LESS_MS, landed_ms)


def _text(base: Base) -> str:
    if base is None:
        return ABSENT
    return COMMIT_BASE + commit_id(base) if isinstance(base, Commit) else f"ddl:{base.changed}"


def _ms(ticks: int | None) -> int | None:
    return None if ticks is None else ticks * TICK_MS


@lru_cache(MANY)
def commit_id(commit: Commit) -> str:
    """The id of a publication, as the product makes them, but always the same."""
    return f"{commit.order:013d}_{id_of(commit.version)}_0"


def id_of(version: int) -> str:
    """The version's id; they sort by number."""
    return f"20260101t000000x{version:08x}"


def number_of(version: str) -> int:
    """The number in a version's id."""
    return int(version.rpartition("x")[2], 16)
